-- Registers a bot that dials in, or a revision of it. KEYS: versions that dial in, what the owner has
-- brought today, then the bot's as add_bot has them. ARGV: most a day (0: no limit), then what
-- add_bot wants. Answers as add_bot does, or {'day', count}.
local digest, now = ARGV[5], now_ms()
local bot = { unpack(KEYS, 3) }
if redis.call('HEXISTS', bot[3], digest) == 0 and tonumber(ARGV[1]) > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - 86400000)
  local day = redis.call('ZCARD', KEYS[2])
  if day >= tonumber(ARGV[1]) then
    return { 'day', day }
  end
end
local answer = add_bot(bot, unpack(ARGV, 2))
if answer[1] ~= 'taken' then
  redis.call('SADD', KEYS[1], digest)
end
if answer[1] == 'added' then
  redis.call('ZADD', KEYS[2], now, digest)
end
return answer
