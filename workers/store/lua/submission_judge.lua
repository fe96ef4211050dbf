-- Why a submission that has come to a version is not to be it under its name. KEYS: submission,
-- version names. ARGV: id, version. Answers as misnamed does, {} where nothing is wrong.
return misnamed(KEYS[2], redis.call('HGET', KEYS[1], 'version_name') or '', ARGV[1], ARGV[2]) or {}
