/**
 * The log of a process: one JSON object for each line on stdout, for log collectors.
 *
 * Lines at level info are written together a little later, because a write to a pipe costs more than the rest of an
 * access line. Warnings and errors are written at once, with all lines before them. The rest is written when the
 * process ends. A killed process loses the info lines of its last moments, but never a warning.
 */
import { Logger, LogLevel, References } from "effect"
import { maskUrls } from "./MaskUrls.ts"

/** Milliseconds that an info line may wait. */
const PATIENCE = 20

const pending: Array<string> = []
let timer: NodeJS.Timeout | undefined

const flush = (): void => {
  clearTimeout(timer)
  timer = undefined
  if (pending.length === 0) return
  process.stdout.write(`${pending.join("\n")}\n`)
  pending.length = 0
}

process.once("exit", flush)

const isPlain = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** The format of Effect's own JSON lines. Plain text and numbers, so most lines, are written directly. */
const format = (options: Logger.Options<unknown>): string => {
  const { cause, date, fiber, logLevel, message } = options
  const messages: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const text = messages.length === 1 ? messages[0] : undefined
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const isSimple = typeof text === "string" && cause.reasons.length === 0 &&
    fiber.getRef(References.CurrentLogSpans).length === 0 && Object.values(annotations).every(isPlain)
  return isSimple
    ? JSON.stringify({
      message: text,
      level: logLevel.toUpperCase(),
      timestamp: date.toISOString(),
      annotations,
      spans: {},
      fiberId: `#${fiber.id}`
    })
    : Logger.formatJson.log(options)
}

/** The line of a message, without secrets of URLs. */
export const lineOf = (options: Logger.Options<unknown>): string => maskUrls(format(options))

export const jsonLines: Logger.Logger<unknown, void> = Logger.make((options) => {
  pending.push(lineOf(options))
  if (LogLevel.isGreaterThanOrEqualTo(options.logLevel, "Warn")) flush()
  else timer ??= setTimeout(flush, PATIENCE).unref()
})
