-- Puts back a running match whose bot did not come before anything was dealt: it waits for that bot,
-- twice as long each time, and no attempt is counted. It is given up where that has gone on for too
-- long. KEYS: those of the match, what waits for the bot. ARGV: match, fence, bot, how soon it is
-- looked at again and how long this may go on (0: for ever), ms. Answers 'waits', 'void', 'dead', or
-- 'stale'.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence', 'number')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 'stale'
end
local now, patience = now_ms(), tonumber(ARGV[5])
take_back(k, ARGV[1])
if left(k, now) then
  return 'void'
end
redis.call('HSETNX', k.match, 'declined_ms', string.format('%.0f', now))
local times = redis.call('HINCRBY', k.match, 'declines', 1)
if patience > 0 and now - tonumber(redis.call('HGET', k.match, 'declined_ms')) >= patience then
  waits_no_more(k)
  redis.call('ZREM', KEYS[9], ARGV[1])
  note_attempt(k, match[2], 'declined', now)
  mark_dead(k, match[3], now)
  return 'dead'
end
wait_for(k, ARGV[1], ARGV[3], KEYS[9], now, tonumber(ARGV[4]) * 2 ^ math.min(times - 1, 6))
return 'waits'
