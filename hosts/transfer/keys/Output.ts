/** Output: results go to stdout, so that a shell can use them, and everything else goes to stderr. */
import { Effect } from "effect"
import { answer, Json } from "../../cli/Program.ts"

/** Words beside the result, unchanged: a text to sign may be among them. */
export const say = (text: string) => Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Reports a completed action without a result: text for people, a result for machines. */
export const done = (value: unknown, text: string) =>
  Effect.flatMap(Json, (json) => json ? answer(value, text) : say(text))
