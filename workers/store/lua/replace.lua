-- Replaces all ratings by what was computed from the log. KEYS: head, rated.
-- ARGV: head it was computed on, prefix of ratings' keys, ratings as JSON: {member = {field = n}}.
-- Answers 1, or 0 when the log has another head by now.
if (redis.call('HGET', KEYS[1], 'hash') or '') ~= ARGV[1] then
  return 0
end
for _, member in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  redis.call('DEL', ARGV[2] .. member)
end
redis.call('DEL', KEYS[2])
for member, fields in pairs(cjson.decode(ARGV[3])) do
  redis.call('SADD', KEYS[2], member)
  for field, n in pairs(fields) do
    redis.call('HSET', ARGV[2] .. member, field, n)
  end
end
return 1
