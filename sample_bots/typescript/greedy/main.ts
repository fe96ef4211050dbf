/** Plays the bot. */

import { run } from "knockbox";
import { bot } from "./bot";

run(bot);
