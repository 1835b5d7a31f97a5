-- Each NIC whose counters were read twice, with what grew in between, beside the NICs that carried similar traffic. Counters of one class overlap
-- (drops of a port and of its priority), so the largest of a class counts. Shares of drops, gaps and resends are of packets, those of pauses of the time.
WITH nic AS (
  SELECT attempt, host, device, place, who, min(began) AS began, max(ended) AS ended, max(seconds) AS seconds,
         max(delta) FILTER (WHERE class = 'packets') AS packets,
         coalesce(max(delta) FILTER (WHERE class = 'drop'), 0) AS drops, coalesce(max(delta) FILTER (WHERE class = 'host_drop'), 0) AS host_drops,
         coalesce(max(delta) FILTER (WHERE class = 'gap'), 0) AS gaps, coalesce(max(delta) FILTER (WHERE class = 'resend'), 0) AS resends,
         coalesce(max(delta) FILTER (WHERE name = 'local_ack_timeout_err'), 0) AS ack_timeouts,
         coalesce(max(delta) FILTER (WHERE class = 'not_ready'), 0) AS not_ready,
         coalesce(max(delta) FILTER (WHERE class = 'wire'), 0) AS wire, coalesce(max(delta) FILTER (WHERE class = 'down'), 0) AS downs,
         coalesce(max(delta) FILTER (WHERE class = 'held'), 0) AS held_us, coalesce(max(delta) FILTER (WHERE class = 'holds'), 0) AS holds_us,
         coalesce(max(delta) FILTER (WHERE class = 'holds_frames'), 0) AS holds_frames, bool_or(class IN ('held', 'holds')) AS has_durations,
         coalesce(max(delta) FILTER (WHERE class = 'storm'), 0) AS storms, coalesce(max(delta) FILTER (WHERE class = 'marked'), 0) AS marked,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY delta DESC, name) FILTER (WHERE delta > 0 AND class IN ('drop', 'gap', 'resend', 'wire')) AS loss_lines,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY delta DESC, name) FILTER (WHERE delta > 0 AND class IN ('held', 'holds', 'holds_frames', 'storm', 'marked')) AS pressure_lines,
         list({'file_id': file_id, 'line': line, 'part': part} ORDER BY name) FILTER (WHERE delta > 0 AND class = 'down') AS down_lines,
         list({'file_id': file_before, 'line': line_before, 'part': 0} ORDER BY delta DESC, name) FILTER (WHERE delta > 0 AND class IN ('drop', 'gap', 'resend')) AS loss_lines_before
  FROM counter_deltas
  GROUP BY attempt, host, device, place, who),
everybody AS (  -- the lower quartile is what is usual, also where there are only two or three to compare; a lone NIC is no measure of itself
  SELECT attempt, count(*) - 1 AS siblings, count(*) > 1 AS compared, median(packets) AS sibling_packets,
         CASE WHEN compared THEN quantile_disc(drops, 0.25) ELSE 0 END AS sibling_drops,
         CASE WHEN compared THEN quantile_disc(gaps, 0.25) ELSE 0 END AS sibling_gaps,
         CASE WHEN compared THEN quantile_disc(resends, 0.25) ELSE 0 END AS sibling_resends,
         CASE WHEN compared THEN quantile_disc(wire, 0.25) ELSE 0 END AS sibling_wire,
         CASE WHEN compared THEN quantile_disc(holds_us, 0.25) ELSE 0 END AS sibling_holds_us,
         CASE WHEN compared THEN quantile_disc(held_us, 0.25) ELSE 0 END AS sibling_held_us,
         CASE WHEN compared THEN quantile_disc(marked, 0.25) ELSE 0 END AS sibling_marked,
         CASE WHEN compared THEN quantile_disc(holds_frames, 0.25) ELSE 0 END AS sibling_holds_frames
  FROM nic
  GROUP BY attempt)
SELECT n.*, CASE WHEN regexp_matches(n.device, '^(Ethernet|PortChannel)\d') THEN [] ELSE [n.host] END AS hosts_named,  -- a switch is no host
       e.* EXCLUDE (attempt, compared), list_concat(n.loss_lines, n.loss_lines_before) AS loss_lines_of_both, coalesce(n.host || ': ', '') AS on_host,
       n.drops / nullif(n.packets, 0) AS drop_share, n.gaps / nullif(n.packets, 0) AS gap_share, n.resends / nullif(n.packets, 0) AS resend_share,
       n.holds_us / 1e6 / nullif(n.seconds, 0) AS holds_share, n.held_us / 1e6 / nullif(n.seconds, 0) AS held_share,
       -- what NICs of the same name on other hosts, its usual peers, sent again
       sum(n.resends) OVER (PARTITION BY n.attempt, n.device) - n.resends AS rail_resends
FROM nic n
JOIN everybody e ON e.attempt IS NOT DISTINCT FROM n.attempt
