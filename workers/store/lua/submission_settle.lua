-- The verdict of an attempt. KEYS: submission, open, the owner's open ones, contents, version names,
-- lines, uploads, and then the bot's as add_bot has them.
-- ARGV: id, fence, 'accepted' or 'refused', fields as JSON, the content's field, milliseconds that
-- a refused one is kept, and that lines are; then for accepted ones what add_bot wants.
-- Answers {'settled'}, {'lost'} where it is not the running attempt, or, with nothing changed, why it
-- is to be refused: {'taken', by}, or as misnamed does.
local s = redis.call('HMGET', KEYS[1], 'fence', 'state', 'version_name', 'instead', 'lease')
if s[1] ~= ARGV[2] or s[5] == '0' or s[2] == 'accepted' or s[2] == 'refused' then
  return { 'lost' }
end
if ARGV[3] == 'accepted' then
  local wrong = misnamed(KEYS[5], s[3], ARGV[1], ARGV[11])
  if wrong then
    return wrong
  end
  local added = add_bot({ unpack(KEYS, 8) }, unpack(ARGV, 8))
  if added[1] == 'taken' then
    return added
  end
  if s[3] ~= '' then
    redis.call('HSET', KEYS[5], s[3], ARGV[11])
  end
else
  -- The same may be handed in again: it is what it was before, if it was. So may another under a
  -- name that none but this one has had.
  if redis.call('HGET', KEYS[4], ARGV[5]) == ARGV[1] then
    redis.call('HDEL', KEYS[4], ARGV[5])
    if s[4] and s[4] ~= '' then
      redis.call('HSET', KEYS[4], ARGV[5], s[4])
    end
  end
  if redis.call('HGET', KEYS[5], s[3]) == ARGV[1] then
    redis.call('HDEL', KEYS[5], s[3])
  end
end
for field, value in pairs(cjson.decode(ARGV[4])) do
  redis.call('HSET', KEYS[1], field, value)
end
redis.call('HSET', KEYS[1], 'state', ARGV[3], 'changed_ms', now_ms(), 'lease', 0)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[7], ARGV[5])
redis.call('PEXPIRE', KEYS[6], ARGV[7])
if ARGV[3] == 'refused' then
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
end
return { 'settled' }
