/** The port `Sessions` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sessions } from "../../../ports/store/clients/Sessions.ts"
import { subjectKey } from "../../../src/domain/session/Session.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"

export const layer = Layer.effect(
  Sessions,
  Effect.map(MemoryStore, ({ call }) =>
    Sessions.of({
      add: (hash, session, most) =>
        call("Sessions.add", ({ sessions }) => {
          for (const row of sessions.all()) {
            if (row.session.expiresAt <= session.startedAt) sessions.remove(row.hash)
          }
          sessions.add(hash, { hash, session })
          const own = sessions.all().filter((row) => subjectKey(row.session.subject) === subjectKey(session.subject))
          const newest = own.toSorted(ascending(({ hash: each }) => each)).toSorted(
            descending(({ session: { startedAt } }) => startedAt)
          )
          for (const row of newest.slice(most)) sessions.remove(row.hash)
        }),
      find: (hash, now) =>
        call("Sessions.find", ({ sessions }) => {
          const session = sessions.get(hash)?.session
          return session !== undefined && session.expiresAt > now ? session : undefined
        }),
      end: (hash) => call("Sessions.end", ({ sessions }) => void sessions.remove(hash))
    }))
)
