/**
 * Trusts a chain's configuration only after the chain has confirmed it. Each entry is read when it is first needed and
 * then every hour. Quotes, fills and attestations ask here.
 *
 * A reading holds until the next one. A failed reading changes nothing for `BELIEVED_FOR`: endpoints that are down for
 * a while do not disprove what they have confirmed. A contradiction holds at once and is rechecked every minute, as are
 * failed readings.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { ChainFacts } from "../../../ports/chain/ChainFacts.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { compare, describeCompared } from "../../domain/configuration/Compare.ts"
import type { Compared, Used } from "../../domain/configuration/Compare.ts"
import { differencesOf, readingOf, wants, whyOutOfService } from "../../domain/configuration/Standing.ts"
import type { CheckedEntry, Reading, Standing } from "../../domain/configuration/Standing.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"

const contradicted = Metric.gauge("configuration_contradicted", {
  description:
    "entries of a chain's configuration that the chain contradicts, by chain: it, or a currency of it, is out of service"
})

/** How often confirmed entries are read again. */
export const RECHECK = Duration.hours(1)

/** How often contradicted and unread entries are read again. */
export const RECHECK_SOON = Duration.minutes(1)

/** How long an entry is trusted after its last reading: five rechecks may fail in a row. */
export const BELIEVED_FOR = Duration.hours(6)

/** How long a request waits for a reading that it needs. */
const PATIENCE = Duration.seconds(3)

/** A reading of this age counts as current. */
const FRESH_MS = 1_000

/** A chain or a currency whose configuration its chain contradicts. */
export class ConfigurationContradicted
  extends Data.TaggedError("ConfigurationContradicted")<{ readonly message: string }>
{}

export class CheckedConfiguration extends Context.Service<CheckedConfiguration, {
  /** Fails when a used chain or currency is out of service. Reads entries that were not read yet. */
  readonly assertServing: (
    used: ReadonlyArray<Used>
  ) => Effect.Effect<void, ChainUnavailable | ConfigurationContradicted>
  /** The current standings, without a reading. */
  readonly standings: Effect.Effect<ReadonlyArray<Standing>>
  /** Reads every entry now, all at the same time, except those that were read within the last second. */
  readonly readAll: Effect.Effect<ReadonlyArray<Standing>>
}>()("causeway/services/CheckedConfiguration") {}

/** Fails with the refusal of a quote for a chain or currency that is out of service. */
export const refuseUnserving = (
  { assertServing }: CheckedConfiguration["Service"],
  used: ReadonlyArray<Used>
): Effect.Effect<void, ChainUnavailable | QuoteRefused> =>
  Effect.catchTag(
    assertServing(used),
    "ConfigurationContradicted",
    ({ message }) =>
      Effect.fail(
        new QuoteRefused({
          code: "CHAIN_DISABLED",
          message: `out of service until its operator has corrected it: ${message}`
        })
      )
  )

/** Services that know without a reading, at a time in milliseconds, that everything that is used is in service. */
const knowing = new WeakMap<CheckedConfiguration["Service"], (used: ReadonlyArray<Used>, now: number) => boolean>()

/** True when everything that is used is known to be in service at `now`, in milliseconds. False: it has to be asked. */
export const isKnownServing = (
  checked: CheckedConfiguration["Service"],
  used: ReadonlyArray<Used>,
  now: number
): boolean => knowing.get(checked)?.(used, now) === true

/**
 * `refuseUnserving` at `now`, in milliseconds: the effect must not be kept, because what is known then is in it.
 */
export const refuseUnservingNow = (
  checked: CheckedConfiguration["Service"],
  used: ReadonlyArray<Used>,
  now: number
): Effect.Effect<void, ChainUnavailable | QuoteRefused> =>
  isKnownServing(checked, used, now) ? Effect.void : refuseUnserving(checked, used)

interface Kept {
  readonly entry: CheckedEntry
  readonly turn: Semaphore.Semaphore
  reading: Reading
  /** How its endpoints disagreed in the last reading. */
  divided: ChainUnavailable | undefined
  /** Milliseconds. */
  readAt: number
  triedAt: number
  tries: number
}

const keep = (entry: CheckedEntry): Kept => ({
  entry,
  turn: Semaphore.makeUnsafe(1),
  reading: entry.expectations.length === 0 ? readingOf([]) : { _tag: "Unread" },
  divided: undefined,
  readAt: entry.expectations.length === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY,
  triedAt: Number.NEGATIVE_INFINITY,
  tries: 0
})

/** A contradiction does not expire. */
const standingAt = ({ entry, readAt, reading }: Kept, now: number): Standing =>
  reading._tag === "Read" && differencesOf(reading).length === 0 && now - readAt > Duration.toMillis(BELIEVED_FOR)
    ? { entry, reading: { _tag: "Unread" } }
    : { entry, reading }

const linesOf = (
  reading: Reading,
  verdict: Compared["verdict"],
  { slug }: CheckedEntry["chain"]
): ReadonlySet<string> =>
  new Set(
    reading._tag === "Unread"
      ? []
      : reading.compared.filter((each) => each.verdict === verdict).map((each) => describeCompared(slug, each))
  )

/** Reports what changed since the previous reading. */
const tell = Effect.fnUntraced(
  function*({ entry: { chain }, reading: before }: Kept, now: Reading, alarm: Effect.Effect<void>) {
    yield* Metric.update(Metric.withAttributes(contradicted, { chain: chain.slug }), differencesOf(now).length)
    const [told, warned] = [linesOf(before, "differs", chain), linesOf(before, "warning", chain)]
    for (const line of linesOf(now, "differs", chain)) {
      if (told.has(line)) continue
      yield* alarm
      yield* Effect.logError(`out of service: ${line}`)
    }
    for (const line of linesOf(now, "warning", chain)) if (!warned.has(line)) yield* Effect.logWarning(line)
    if (told.size > 0 && differencesOf(now).length === 0) {
      yield* Effect.logInfo(`chain ${chain.slug}: it agrees with its configuration again`)
    }
  }
)

/** For these entries. `alarm` runs for each new contradiction. */
export const layer = (entries: ReadonlyArray<CheckedEntry>, alarm: Effect.Effect<void> = Effect.void) =>
  Layer.effect(
    CheckedConfiguration,
    Effect.gen(function*() {
      const facts = yield* ChainFacts
      const all = entries.map(keep)

      const read = Effect.fn("CheckedConfiguration.read")(function*(kept: Kept) {
        const { chain, expectations } = kept.entry
        const answered = yield* Effect.result(facts.read(chain, expectations.map(({ ask }) => ask)))
        const now = yield* Clock.currentTimeMillis
        kept.triedAt = now
        kept.tries += 1
        kept.divided = Result.isFailure(answered) && answered.failure.kind === "divided" ? answered.failure : undefined
        if (Result.isFailure(answered)) {
          return yield* Effect.logWarning(
            `the configuration could not be compared with its chain: ${answered.failure.message}`
          )
        }
        const reading = readingOf(compare(expectations, answered.success))
        yield* tell(kept, reading, alarm)
        kept.reading = reading
        kept.readAt = now
      })

      /** A hub that cannot be read stops nothing: it is waited for once. */
      const isWanted = (kept: Kept, used: ReadonlyArray<Used>, now: number): boolean =>
        wants(standingAt(kept, now), used) || (kept.entry.role === "hub" && kept.tries === 0)

      /** One reading for all concurrent callers. */
      const readWanted = (kept: Kept, used: ReadonlyArray<Used>) =>
        Effect.suspend(() => {
          const before = kept.tries
          return kept.turn.withPermits(1)(Effect.gen(function*() {
            if (kept.tries === before && isWanted(kept, used, yield* Clock.currentTimeMillis)) yield* read(kept)
          }))
        })

      const readNow = (kept: Kept) =>
        kept.turn.withPermits(1)(
          Effect.flatMap(Clock.currentTimeMillis, (now) => now - kept.triedAt < FRESH_MS ? Effect.void : read(kept))
        )

      const standings = Effect.map(Clock.currentTimeMillis, (now) => all.map((kept) => standingAt(kept, now)))

      const isServing = (used: ReadonlyArray<Used>, now: number): boolean =>
        !all.some((kept) => isWanted(kept, used, now)) &&
        whyOutOfService(all.map((kept) => standingAt(kept, now)), used) === undefined

      const assertServing: CheckedConfiguration["Service"]["assertServing"] = Effect.fnUntraced(function*(used) {
        const now = yield* Clock.currentTimeMillis
        const wanted = all.filter((kept) => isWanted(kept, used, now))
        if (wanted.length > 0) {
          yield* Effect.timeoutOption(
            Effect.forEach(wanted, (kept) => readWanted(kept, used), { concurrency: "unbounded", discard: true }),
            PATIENCE
          )
        }
        const why = whyOutOfService(yield* standings, used)
        if (why?._tag === "Contradicted") {
          return yield* new ConfigurationContradicted({ message: describeCompared(why.chain.slug, why.compared) })
        }
        if (why?._tag === "Unread") {
          const divided = all.find(({ entry }) => entry.chain === why.chain)?.divided
          return yield* divided ??
            new ChainUnavailable({
              chain: why.chain.slug,
              operation: "comparing the configuration",
              kind: "unreachable"
            })
        }
      })

      const again = (kept: Kept) =>
        Effect.forever(Effect.gen(function*() {
          yield* readNow(kept)
          const { reading } = standingAt(kept, yield* Clock.currentTimeMillis)
          const isBelieved = reading._tag === "Read" && differencesOf(reading).length === 0 &&
            kept.readAt === kept.triedAt
          yield* Effect.sleep(isBelieved ? RECHECK : RECHECK_SOON)
        }))
      yield* Effect.forEach(
        all.filter(({ entry }) => entry.expectations.length > 0),
        (kept) => Effect.forkScoped(again(kept)),
        { discard: true }
      )

      const service = CheckedConfiguration.of({
        assertServing,
        standings,
        readAll: Effect.andThen(Effect.forEach(all, readNow, { concurrency: "unbounded", discard: true }), standings)
      })
      knowing.set(service, isServing)
      return service
    })
  )
