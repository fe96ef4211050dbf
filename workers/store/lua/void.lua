-- Ends an attempt as void. ARGV: match, fence, cause (one word), limits.
-- Answers 'queued', 'dead', 'void', or 'stale' when the match belongs to somebody else.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[2] ~= ARGV[2] or (match[1] ~= 'running' and match[1] ~= 'sealed') then
  return 'stale'
end
return void_attempt(k, ARGV[1], ARGV[3], now_ms(), limits_at(4), false)
