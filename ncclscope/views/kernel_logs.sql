-- Until when the kernel log of each host goes; `host` is NULL where a log does not say whose it is.
SELECT coalesce(e.host, f.host) AS host, max(f.ended) AS ended
FROM  (SELECT DISTINCT file_id, host FROM events WHERE source LIKE 'kernel%' OR source IN ('syslog', 'services')) e
JOIN   files f USING (file_id)
GROUP  BY ALL
UNION ALL      -- one in which nothing was worth a row is a log all the same
SELECT host, ended FROM files WHERE regexp_matches(lower(concat_ws('/', path, member)), '(syslog|messages|dmesg|kern|journal)[^/]*$')
