-- Renews a lease. ARGV: match, fence, lease ms, progress as JSON or ''.
-- Answers 1, or 0 when the match belongs to somebody else by now: stop playing it.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 0
end
redis.call('ZADD', k.leases, now_ms() + tonumber(ARGV[3]), ARGV[1])
if ARGV[4] ~= '' then
  redis.call('HSET', k.match, 'progress', ARGV[4])
end
return 1
