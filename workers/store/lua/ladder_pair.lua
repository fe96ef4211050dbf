-- Makes a ladder's next matches, drawn from how things stood. KEYS: ladder, the day's tournament,
-- played, sent. ARGV: day, matches of the day when they were drawn, prefixes of the keys of matches
-- and meetings, matches as JSON: {{{name, version}, ...}, ...}, played as JSON: {name = matches}.
-- Answers the new matches' ids, each sent from now on; none where something else has come first.
local ladder = redis.call('HMGET', KEYS[1], 'state', 'day', 'made')
local day = redis.call('HMGET', KEYS[2], 'state', 'next')
local id, next, made = ARGV[1], tonumber(ARGV[2]), tonumber(ladder[3])
if ladder[1] ~= 'running' or ladder[2] ~= id or day[1] ~= 'running' or day[2] ~= ARGV[2] then
  return {}
end
local now, ids = now_ms(), {}
for i, bots in ipairs(cjson.decode(ARGV[5])) do
  local match = id .. '.' .. (next + i)
  redis.call('HSET', ARGV[3] .. match, 'tournament', id, 'number', next + i, 'state', 'queued',
    'fence', 0, 'bots', cjson.encode(bots))
  redis.call('ZADD', KEYS[4], now, match)
  for _, bot in ipairs(bots) do
    for _, other in ipairs(bots) do
      if other[1] ~= bot[1] then
        redis.call('HSET', ARGV[4] .. bot[1], other[1], made + i)
      end
    end
  end
  ids[i] = match
end
for name, matches in pairs(cjson.decode(ARGV[6])) do
  redis.call('HSET', KEYS[3], name, matches)
end
redis.call('HSET', KEYS[2], 'next', next + #ids)
redis.call('HSET', KEYS[1], 'made', made + #ids)
return ids
