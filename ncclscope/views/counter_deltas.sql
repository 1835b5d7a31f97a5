-- How counters of NICs grew between the first and the last snapshot of a device. One snapshot gives no row: counters since boot have no time base.
-- `class` says what growth means; names are those of Linux drivers and sysfs with digits of priorities and queues as #.
WITH known (name, class) AS (VALUES
  -- packets that arrived or should have left and were dropped at this port
  ('rx_discards_phy', 'drop'), ('tx_discards_phy', 'drop'), ('rx_prio#_discards', 'drop'), ('rx_prio#_buf_discard', 'drop'), ('rx_prio#_cong_discard', 'drop'),
  ('outbound_pci_buffer_overflow', 'drop'), ('port_xmit_discards', 'drop'), ('rx_total_discard_pkts', 'drop'), ('rx_stat_discard', 'drop'),
  ('rx_dropped.nic', 'drop'), ('rx_roce_discards', 'drop'), ('tx_roce_discards', 'drop'), ('rx_discard_pkts', 'drop'), ('rx_drops', 'drop'),
  ('tx_total_discard_pkts', 'drop'), ('tx_stat_discard', 'drop'), ('rx_total_ring_discards', 'drop'),
  -- the same on the way to the kernel: matters to sockets, not to RDMA
  ('rx_out_of_buffer', 'host_drop'), ('netdev.rx_dropped', 'host_drop'), ('netdev.rx_missed_errors', 'host_drop'), ('netdev.rx_fifo_errors', 'host_drop'),
  ('rx_missed_errors', 'host_drop'), ('bw_in_allowance_exceeded', 'host_drop'), ('bw_out_allowance_exceeded', 'host_drop'),
  ('pps_allowance_exceeded', 'host_drop'), ('conntrack_allowance_exceeded', 'host_drop'),
  -- what the receiver sees of lost packets; also reordering by adaptive routing
  ('out_of_sequence', 'gap'), ('seq_err_naks_rcvd_by_responder', 'gap'), ('oos_drop_count', 'gap'), ('res_oos_drop_count', 'gap'),
  -- what the sender sees of them
  ('packet_seq_err', 'resend'), ('implied_nak_seq_err', 'resend'), ('local_ack_timeout_err', 'resend'), ('roce_adp_retrans', 'resend'),
  ('roce_adp_retrans_to', 'resend'), ('seq_err_naks_rcvd', 'resend'), ('to_retransmits', 'resend'), ('retransSegs', 'resend'), ('retrans_pkts', 'resend'),
  ('retrans_timeout_events', 'resend'), ('missing_resp', 'resend'), ('rnr_nak_retry_err', 'not_ready'), ('rnr_naks_rcvd', 'not_ready'),
  -- damage on the wire
  ('rx_crc_errors_phy', 'wire'), ('rx_symbol_err_phy', 'wire'), ('rx_pcs_symbol_err_phy', 'wire'), ('symbol_error', 'wire'), ('port_rcv_errors', 'wire'),
  ('local_link_integrity_errors', 'wire'), ('rx_icrc_encapsulated', 'wire'), ('netdev.rx_crc_errors', 'wire'), ('netdev.rx_errors', 'wire'), ('netdev.rx_frame_errors', 'wire'), ('rx_fcs_err_frames', 'wire'),
  ('rx_crc_errors.nic', 'wire'), ('rx_pcs_symbol_err', 'wire'), ('rx_fec_uncorrectable_blocks', 'wire'), ('link_error_recovery', 'wire'),
  ('link_downed', 'down'), ('link_down_events_phy', 'down'), ('netdev.carrier_changes', 'down'), ('netdev.carrier_down_count', 'down'), ('link_down_events', 'down'),
  -- pressure without loss; durations are microseconds
  ('rx_prio#_pause_duration', 'held'), ('rx_global_pause_duration', 'held'), ('tx_prio#_pause_duration', 'holds'), ('tx_global_pause_duration', 'holds'),
  -- the same as frames, where a driver counts no time: bnxt and ice
  ('tx_prio#_pause', 'holds_frames'), ('tx_pfc_frames', 'holds_frames'), ('tx_pfc_ena_frames_prio#', 'holds_frames'), ('tx_pause_frames', 'holds_frames'),
  ('tx_priority_#_xoff.nic', 'holds_frames'), ('link_xoff_tx.nic', 'holds_frames'),
  ('tx_pause_storm_warning_events', 'storm'), ('tx_pause_storm_error_events', 'storm'),
  ('np_cnp_sent', 'marked'), ('np_ecn_marked_roce_packets', 'marked'), ('rx_ecn_marked_pkts', 'marked'), ('tx_cnp_pkts', 'marked'),
  ('rp_cnp_handled', 'told'), ('rx_cnp_pkts', 'told'), ('port_xmit_wait', 'waited'),
  -- what went through, to compare with
  ('rx_packets_phy', 'packets'), ('tx_packets_phy', 'packets'), ('port_rcv_packets', 'packets'), ('port_xmit_packets', 'packets'),
  ('rx_vport_rdma_unicast_packets', 'packets'), ('tx_vport_rdma_unicast_packets', 'packets'), ('rx_packets', 'packets'), ('tx_packets', 'packets'),
  ('rx_total_frames', 'packets'), ('tx_total_frames', 'packets'), ('rx_ucast_frames', 'packets'), ('tx_ucast_frames', 'packets'), ('rx_pkts', 'packets'),
  ('tx_pkts', 'packets'), ('rx_unicast.nic', 'packets'), ('tx_unicast.nic', 'packets'), ('netdev.rx_packets', 'packets'), ('netdev.tx_packets', 'packets'), ('rdma_rx_packets', 'packets'), ('rdma_tx_packets', 'packets')),
taken AS (
  -- a dump that does not say whose it is may be compared with that of another file of the same host, if it is alone there
  SELECT s.attempt, s.file_id, s.host, coalesce(s.device, '') AS device, s.netdev, s.line, s.last_line, CASE WHEN s.ts_from = 'line' THEN s.ts END AS ts,
         TRY_CAST(s."order" AS INTEGER) AS position, TRY_CAST(s.seq AS INTEGER) AS seq, f.path
  FROM counters_snapshot s JOIN files f ON f.file_id = s.file_id
  WHERE s.device IS NOT NULL
     OR (s.host IS NOT NULL AND NOT EXISTS (SELECT 1 FROM counters_snapshot o WHERE o.file_id = s.file_id AND o.device IS NULL AND o.line <> s.line))),
timed AS (
  SELECT *, bool_and(ts IS NOT NULL) OVER d AS all_timed, count(*) OVER d AS n FROM taken WINDOW d AS (PARTITION BY host, device)),
ordered AS (    -- by time if all have one, else as labelled (before, after), else as files and lines stand
  SELECT *, row_number() OVER (PARTITION BY host, device ORDER BY CASE WHEN all_timed THEN ts END, position, seq, path, line) AS nth FROM timed),
edge AS (
  SELECT * FROM ordered WHERE n > 1 AND nth IN (1, n)),
number AS (
  SELECT e.attempt, e.host, e.device, e.netdev, e.ts, e.nth = 1 AS is_first, m.name, k.class, m.value, m.file_id, m.line, m.part
  FROM edge e
  JOIN metrics m ON m.file_id = e.file_id AND coalesce(m.device, '') = e.device AND m.host IS NOT DISTINCT FROM e.host AND m.line BETWEEN e.line AND e.last_line
  JOIN known k ON k.name = regexp_replace(regexp_replace(m.name, 'pri[o]?(\d)', 'prio#'), 'priority_\d', 'priority_#')
  WHERE NOT m.duplicate),
pair AS (
  SELECT max(attempt) AS attempt, host, device, max(netdev) AS netdev, name, class,
         max(value) FILTER (WHERE is_first) AS value_before, max(value) FILTER (WHERE NOT is_first) AS value_after,
         min(ts) FILTER (WHERE is_first) AS began, max(ts) FILTER (WHERE NOT is_first) AS ended,
         max(file_id) FILTER (WHERE NOT is_first) AS file_id, max(line) FILTER (WHERE NOT is_first) AS line, max(part) FILTER (WHERE NOT is_first) AS part,
         max(file_id) FILTER (WHERE is_first) AS file_before, max(line) FILTER (WHERE is_first) AS line_before
  FROM number
  GROUP BY host, device, name, class)
SELECT attempt, host, device, netdev, name, class, value_before, value_after, began, ended, epoch(ended - began) AS seconds, file_id, line, part,
       file_before, line_before,
       -- 32 bits wrapped if it was near the end; else the counter began anew, and the later value is what can be said
       CASE WHEN value_after >= value_before THEN value_after - value_before
            WHEN value_before BETWEEN 3e9 AND 4294967295 THEN value_after - value_before + 4294967296
            ELSE value_after END AS delta,
       value_after < value_before AND value_before NOT BETWEEN 3e9 AND 4294967295 AS was_reset,
       CASE WHEN device = '' THEN NULL WHEN host IS NOT NULL THEN host || '/' || device ELSE device END AS place,
       CASE WHEN device = '' THEN 'a NIC' ELSE device END || CASE WHEN netdev IS NOT NULL AND netdev <> device THEN ' (' || netdev || ')' ELSE '' END AS who
FROM pair
WHERE value_before IS NOT NULL AND value_after IS NOT NULL
