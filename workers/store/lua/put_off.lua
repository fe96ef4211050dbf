-- Puts off a running match for which the machine has too little of something: no attempt is counted
-- while that is news. From `limits.after` on each such attempt is void, so that a program that eats
-- all there is cannot hold up a tournament for ever. ARGV: match, fence, cause (one word), limits.
-- Answers 'put off', or what void.lua answers.
local k = match_keys()
local match = redis.call('HMGET', k.match, 'state', 'fence', 'put_offs', 'put_off_ms')
if match[2] ~= ARGV[2] or match[1] ~= 'running' then
  return 'stale'
end
local now, limits = now_ms(), limits_at(4)
local count, since = tonumber(match[3] or 0) + 1, tonumber(match[4] or now)
if now - since >= limits.after then
  redis.call('HSET', k.match, 'put_off_cause', ARGV[3])
  return void_attempt(k, ARGV[1], ARGV[3], now, limits, false)
end
take_back(k, ARGV[1])
if left(k, now) then
  return 'void'
end
redis.call('HSET', k.match, 'state', 'queued', 'put_offs', count, 'put_off_cause', ARGV[3],
  'put_off_ms', string.format('%.0f', since))
redis.call('ZADD', k.due, now + back_off(limits, count), ARGV[1])
return 'put off'
