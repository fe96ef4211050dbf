-- Puts back a running match whose bot did not come before anything was dealt: it waits for that bot,
-- and no attempt is counted. KEYS: those of the match, what waits for the bot. ARGV: match, fence,
-- bot, how soon it is looked at again, ms. Answers 'waits', 'void', or 'stale'.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence')
if match[1] ~= 'running' or match[2] ~= ARGV[2] then
  return 'stale'
end
local now = now_ms()
take_back(k, ARGV[1])
if left(k, now) then
  return 'void'
end
wait_for(k, ARGV[1], ARGV[3], KEYS[9], now, tonumber(ARGV[4]))
return 'waits'
