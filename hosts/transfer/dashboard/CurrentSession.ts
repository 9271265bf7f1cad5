/** The session of a request to the dashboard's own routes, with its text. Undefined for everybody who has none. */
import { Context } from "effect"
import type { Session } from "../../../src/domain/session/Session.ts"

export interface SentSession {
  readonly session: Session
  readonly text: string
}

export const CurrentSession = Context.Reference<SentSession | undefined>("causeway/transfer/CurrentSession", {
  defaultValue: () => undefined
})
