-- Tasks that the kernel reported blocked, with what their frames say they wait on: storage (and which), gpu, nic, or nothing known.
SELECT file_id, line, part, host, ts, process, process_pid, secs, frames,
       CASE WHEN regexp_matches(frames, '\b(nfs|nfs4|rpc|xprt)_') THEN 'storage'
            WHEN regexp_matches(frames, '\b(ll|cl|osc|mdc|lov|ldlm|ptlrpc)_\w+.*\[(lustre|osc|mdc|lov|obdclass|ptlrpc)\]|\[lustre\]|\[ptlrpc\]') THEN 'storage'
            WHEN regexp_matches(frames, 'ceph_|fuse_|beegfs|wekafs|gpfs|mmfs|cxfs|ocfs2|gfs2|cifs|smb2_|\b9p') THEN 'storage'
            WHEN regexp_matches(frames, '\[nvidia|uvm_|os_acquire_|_nv\d+rm|nvidia_') THEN 'gpu'
            WHEN regexp_matches(frames, '\b(xfs|ext4|ext3|jbd2|btrfs|blk|blk_mq|nvme|submit_bio|wait_on_page|wait_on_buffer|filemap|folio_wait|io_schedule|bit_wait|wait_on_bit|balance_dirty_pages|writeback|pagevec|write_cache_pages|generic_writepages|do_fsync|vfs_fsync|sync_inodes|md_|raid\d)') THEN 'storage'
            WHEN regexp_matches(frames, '\bmlx5_|\bib_|rdma_|\[ib_|wait_func') THEN 'nic'
            ELSE 'unknown' END AS waits_on,
       CASE WHEN regexp_matches(frames, '\b(nfs|nfs4|rpc|xprt)_') THEN 'NFS'
            WHEN regexp_matches(frames, '\[lustre\]|\[ptlrpc\]|\[osc\]|\[mdc\]|\bldlm_|\bptlrpc_|\bll_file') THEN 'Lustre'
            WHEN regexp_matches(frames, 'ceph_') THEN 'Ceph' WHEN regexp_matches(frames, 'beegfs') THEN 'BeeGFS' WHEN regexp_matches(frames, 'wekafs') THEN 'Weka'
            WHEN regexp_matches(frames, 'gpfs|mmfs') THEN 'GPFS' WHEN regexp_matches(frames, 'fuse_') THEN 'FUSE' END AS file_system
FROM kernel_hung_task
