/**
 * Restarts the processes of one host one after the other under constant load, and reports every failure. The clients
 * act like a usual load balancer: they take turns among the processes that were ready a tenth of a second ago, and try
 * the next only when a connection is refused. Any other fault is a failed request.
 */
import { Effect, Fiber, Ref } from "effect"
import type { Scope } from "effect"
import type { HostProcess } from "../../transfer/testing/HostProcess.ts"

/** Sends a request to one process at its base address. Returns what is wrong with the answer, if anything. */
export interface Ask {
  readonly name: string
  readonly at: (url: string) => Promise<string | undefined>
}

export interface Rolled {
  /** The fault of each failed request. */
  readonly failures: ReadonlyArray<string>
  readonly answered: number
  /** The exit of each process, in order. */
  readonly ends: ReadonlyArray<number | NodeJS.Signals>
  /** The readiness statuses of each process during its shutdown. */
  readonly readiness: ReadonlyArray<number>
}

export interface Fixture<E> {
  /** Starts the process with that number, on its own port, and waits until it is ready. */
  readonly start: (number: number) => Effect.Effect<HostProcess, E, Scope.Scope>
  readonly count: number
  readonly readiness: string
  /** Headers of the readiness requests. */
  readonly headers?: Readonly<Record<string, string>>
  /** Each has its own loops, which run all the time. */
  readonly asks: ReadonlyArray<Ask>
}

export const wrongUnless200 = async (response: Response): Promise<string | undefined> => {
  const text = await response.text()
  return response.status === 200 ? undefined : `${response.status} ${text.slice(0, 200)}`
}

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string") {
    return cause.code
  }
  return String(cause)
}

/** Polls the readiness of every process, for ever. The last results are in `ready`. */
const watch = (urls: ReadonlyArray<string>, look: (url: string) => Promise<number>, ready: Set<string>) =>
  Effect.forEach(urls, (url) =>
    Effect.promise(() => look(url).then((status) => status === 200, () => false)).pipe(
      Effect.tap((is) => Effect.sync(() => is ? ready.add(url) : ready.delete(url))),
      Effect.andThen(Effect.sleep("100 millis")),
      Effect.forever
    ), { concurrency: "unbounded", discard: true })

/** One request, to the first address from `first` on that does not refuse the connection. */
const askAny = async (urls: ReadonlyArray<string>, first: number, ask: Ask): Promise<string | undefined> => {
  for (let tried = 0; tried < urls.length; tried += 1) {
    const url = urls[(first + tried) % urls.length] ?? ""
    try {
      const wrong = await ask.at(url)
      return wrong === undefined ? undefined : `${ask.name}: ${wrong}`
    } catch (error) {
      if (codeOf(error) !== "ECONNREFUSED") return `${ask.name}: ${codeOf(error)}`
    }
  }
  return "no process took the connection"
}

const LOOPS = 3

/** Between two requests of a loop: a client that asks without pause takes the processor from those that restart. */
const PAUSE = "20 millis"

export const rollingRestart = <E>({ asks, count, headers = {}, readiness, start }: Fixture<E>) =>
  Effect.gen(function*() {
    const look = (url: string) => fetch(`${url}${readiness}`, { headers }).then(({ status }) => status)
    const hosts = yield* Effect.forEach(Array.from({ length: count }, (_, number) => number), start)
    const urls = hosts.map(({ url }) => url)
    const ready = new Set(urls)
    yield* Effect.forkScoped(watch(urls, look, ready))
    const failures = yield* Ref.make<ReadonlyArray<string>>([])
    const answered = yield* Ref.make(0)
    const loop = (ask: Ask, number: number) =>
      Effect.gen(function*() {
        let turn = number
        while (true) {
          turn += 1
          const first = turn
          const failure = yield* Effect.promise(() => askAny([...ready], first, ask))
          if (failure !== undefined) yield* Ref.update(failures, (all) => [...all, failure])
          else yield* Ref.update(answered, (all) => all + 1)
          yield* Effect.sleep(PAUSE)
        }
      })
    const load = yield* Effect.forEach(
      asks.flatMap((ask) => Array.from({ length: LOOPS }, () => ask)),
      (ask, number) => Effect.forkScoped(loop(ask, number))
    )
    const ends: Array<number | NodeJS.Signals> = []
    const seen: Array<ReadonlyArray<number>> = []
    for (const [number, host] of hosts.entries()) {
      yield* Effect.sleep("500 millis")
      // Looks overlap: it says only for a moment that it is about to end, and on a busy machine an answer takes as long.
      const looks: Array<number> = []
      const one = Effect.promise(() => look(host.url).then((status) => void looks.push(status), () => undefined))
      const looking = Effect.forever(Effect.andThen(Effect.forkScoped(one), Effect.sleep("50 millis")))
      ends.push(yield* Effect.raceFirst(host.kill("SIGTERM"), looking))
      seen.push(looks)
      yield* start(number)
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => ready.has(host.url) })
    }
    yield* Effect.sleep("500 millis")
    yield* Effect.forEach(load, Fiber.interrupt, { discard: true })
    return {
      failures: yield* Ref.get(failures),
      answered: yield* Ref.get(answered),
      ends,
      readiness: seen.map((looks) => looks.find((status) => status !== 200) ?? 200)
    } satisfies Rolled
  })
