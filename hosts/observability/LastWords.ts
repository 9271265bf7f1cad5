/**
 * What a process tells when a failure that no caller waits for ends it. Not the error's message, which may quote what an
 * endpoint answered, and with it a key: only the kind of the error, and where it was made.
 */
import { maskUrls } from "./MaskUrls.ts"

export const lastWords = (name: string, cause: unknown): string => {
  if (!(cause instanceof Error)) return `${name} stopped: a failure that nobody waited for`
  const { message, stack = "" } = cause
  const told = message === "" ? 0 : stack.lastIndexOf(message)
  // The stack repeats the message, unless somebody has changed one of them.
  const places = told < 0 ? "" : stack.slice(told + message.length)
  return maskUrls(`${name} stopped: a failure that nobody waited for: ${cause.name}${places.replace(/^[^\n]*/u, "")}`)
}

/** Ends the process at the first such failure, as Node does by itself. */
export const endUnheard = (name: string): void => {
  process.once("uncaughtException", (cause: unknown) => {
    process.stderr.write(`${lastWords(name, cause)}\n`)
    process.exit(1)
  })
}
