"""The printed forms of a report, one module each: `text`, `markdown`, `html`. What they share is in `wording`."""
