-- Puts back a running match whose bot did not come before anything was dealt: it waits for that bot,
-- and no attempt is counted. The bot is quiet from now on, twice as long each time: nothing is begun
-- with it; offers that were made before count as one. A match is given up where that has gone on for
-- too long. KEYS: those of the match, the bot's agent, what waits for it. ARGV: match, fence, bot, how
-- soon a match is looked at again, which is how long the bot is quiet at first, and how long this may
-- go on (0: for ever), ms. Answers 'waits', 'void', 'dead', or 'stale'.
local k = match_keys()
local agent, waiting = KEYS[9], KEYS[10]
local match = redis.call('HMGET', k.match, 'state', 'fence', 'number')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 'stale'
end
local now, again, patience = now_ms(), tonumber(ARGV[4]), tonumber(ARGV[5])
if tonumber(redis.call('HGET', agent, 'quiet_until_ms') or 0) <= now then
  local times = redis.call('HINCRBY', agent, 'declines', 1)
  redis.call('HSETNX', agent, 'declined_ms', string.format('%.0f', now))
  redis.call('HSET', agent, 'quiet_until_ms',
    string.format('%.0f', now + again * 2 ^ math.min(times - 1, 6)))
end
take_back(k, ARGV[1])
if left(k, now) then
  return 'void'
end
redis.call('HSETNX', k.match, 'declined_ms', string.format('%.0f', now))
if patience > 0 and now - tonumber(redis.call('HGET', k.match, 'declined_ms')) >= patience then
  waits_no_more(k)
  redis.call('ZREM', waiting, ARGV[1])
  note_attempt(k, match[2], 'declined', now)
  mark_dead(k, match[3], now)
  return 'dead'
end
wait_for(k, ARGV[1], ARGV[3], waiting, now, again)
return 'waits'
