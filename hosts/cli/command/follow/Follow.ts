/**
 * Follows a request in a terminal: prints its past, then every step as it comes, until the end. Each answer holds the
 * whole timeline, so that no step is missed while the service is away.
 */
import { Clock, Effect } from "effect"
import { endLines, headLines, nextLine, stepLines } from "../../../../src/domain/timeline/TimelineText.ts"
import type { RequestTimeline, TimelineStep } from "../../../../src/domain/timeline/RequestTimeline.ts"
import { isTerminal } from "../../../../src/domain/transfer/Status.ts"
import { ProgramFailed } from "../../Program.ts"
import type { Screen } from "../../Screen.ts"
import { ask } from "./TimelineClient.ts"

export interface FollowPlan {
  readonly id: string
  readonly url: string
}

/** Milliseconds between two requests. */
const EVERY = 1_000
/** How long a service that has answered before may be away, milliseconds. */
const LONGEST_AWAY = 5 * 60_000

/**
 * A step is identified by its content: a later one may be inserted before it, when its transaction had to get into a
 * block first.
 */
const keyOf = (step: TimelineStep): string =>
  JSON.stringify([step.kind, step.at, step.text, step.transaction?.id ?? null])

/** Prints the part of a timeline that was not printed yet. */
const makeTeller = (screen: Screen) => {
  const told = new Set<string>()
  let next: string | undefined
  let begun = false
  return Effect.fnUntraced(function*(timeline: RequestTimeline) {
    if (!begun) {
      yield* Effect.forEach(headLines(timeline), (line) => screen.line(screen.bold(line)), { discard: true })
    }
    begun = true
    for (const step of timeline.steps) {
      if (told.has(keyOf(step))) continue
      told.add(keyOf(step))
      const [line = "", ...more] = stepLines(step)
      yield* screen.line(line)
      yield* Effect.forEach(more, (each) => screen.line(screen.dim(each)), { discard: true })
    }
    const coming = isTerminal(timeline.status) ? undefined : nextLine(timeline)
    if (coming !== undefined && coming !== next) yield* screen.line(screen.dim(coming))
    next = coming
  })
}

const tellEnd = Effect.fnUntraced(function*(timeline: RequestTimeline, screen: Screen) {
  const [headline = "", ...rest] = endLines(timeline)
  yield* screen.line(timeline.status === "success" ? screen.good(headline) : screen.bad(headline))
  yield* Effect.forEach(rest, screen.line, { discard: true })
})

/** Completes with the state in which the request ended. Errors: anything that prevents following it. */
export const follow = Effect.fn("Follow.follow")(function*({ id, url }: FollowPlan, screen: Screen) {
  const tell = makeTeller(screen)
  let answeredAt: number | undefined
  let isAway = false
  while (true) {
    const answer = yield* ask(url, id)
    const now = yield* Clock.currentTimeMillis
    switch (answer._tag) {
      case "Refused":
        return yield* new ProgramFailed({ message: `${url}: ${answer.why}`, reason: "refused" })
      case "Away": {
        if (answeredAt === undefined && answer.why === "it does not answer") {
          return yield* new ProgramFailed({ message: `${url}: ${answer.why}`, reason: "no-answer" })
        }
        answeredAt ??= now
        if (now - answeredAt > LONGEST_AWAY) {
          return yield* new ProgramFailed({
            message: `${url}: ${answer.why}, for ${LONGEST_AWAY / 60_000} minutes now`,
            reason: "no-answer"
          })
        }
        if (!isAway) yield* screen.line(screen.dim(`  The service is away (${answer.why}): it is asked again.`))
        isAway = true
        yield* Effect.sleep(answer.waitMs)
        break
      }
      case "Told":
        answeredAt = now
        if (isAway) yield* screen.line(screen.dim("  It answers again."))
        isAway = false
        yield* tell(answer.story)
        if (isTerminal(answer.story.status)) {
          yield* tellEnd(answer.story, screen)
          return answer.story.status
        }
        yield* Effect.sleep(EVERY)
    }
  }
})
