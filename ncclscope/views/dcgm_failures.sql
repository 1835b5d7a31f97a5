-- GPUs of which DCGM complains, one row for each subject (see dcgm_complaints), with the first complaint as a sentence.
SELECT attempt, host, name, subject, [host] AS hosts, [name] AS gpus,
       printf('DCGM says of GPU %s: %s', regexp_replace(name, '^GPU ', ''), rtrim(min({'line': line, 'text': text}).text, '. ')) AS summary,
       list({'file_id': file_id, 'line': line, 'part': part} ORDER BY file_id, line, part) AS evidence
FROM dcgm_complaints
GROUP BY attempt, host, name, subject
