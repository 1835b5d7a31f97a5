-- Which rank uses which GPU: bus ids in one short spelling (bus:device), with the index on the host.
SELECT attempt, rank, host, gpu, pid, lower(split_part(pci_bus, ':', 2) || ':' || split_part(split_part(pci_bus, ':', 3), '.', 1)) AS bus
FROM ranks
WHERE pci_bus IS NOT NULL
