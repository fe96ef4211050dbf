-- Keeps the bots' nonces; the first that were kept stay. ARGV: match, fence, nonces as JSON.
-- Answers 1, or 0 when the match belongs to somebody else by now.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 0
end
redis.call('HSETNX', k.match, 'nonces', ARGV[3])
return 1
