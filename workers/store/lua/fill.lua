-- Makes the next matches of a tournament until `window` of them are open. Doing it twice does
-- nothing more. KEYS: tournament, topup, sent, numbers of its void matches, corrections: a match
-- that was recorded and made void is among the latter alone.
-- ARGV: tournament, window, prefix of match keys.
-- Answers the new matches' ids; each counts as sent from now on.
local t = redis.call('HMGET', KEYS[1], 'state', 'total', 'next', 'recorded', 'dead')
redis.call('SREM', KEYS[2], ARGV[1])
if t[1] ~= 'running' then
  return {}
end
local total, next = tonumber(t[2]), tonumber(t[3])
local open = next - tonumber(t[4]) - tonumber(t[5]) - redis.call('ZCOUNT', KEYS[4], '-inf', next)
  - redis.call('LLEN', KEYS[5]) - redis.call('ZCARD', KEYS[1] .. ':waiting')
local now, ids = now_ms(), {}
while open < tonumber(ARGV[2]) and next < total do
  next = next + 1
  if not redis.call('ZSCORE', KEYS[4], next) then
    local id = ARGV[1] .. '.' .. next
    redis.call('HSET', ARGV[3] .. id,
      'tournament', ARGV[1], 'number', next, 'state', 'queued', 'fence', 0)
    redis.call('ZADD', KEYS[3], now, id)
    open, ids[#ids + 1] = open + 1, id
  end
end
redis.call('HSET', KEYS[1], 'next', next)
return ids
