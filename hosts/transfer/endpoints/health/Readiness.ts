/**
 * Whether each chain is served now, and why not: its node answers, it is not halted, and it agrees with its
 * configuration. The store is asked beside them.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { describeCompared } from "../../../../src/domain/configuration/Compare.ts"
import { differencesOf } from "../../../../src/domain/configuration/Standing.ts"
import type { Standing } from "../../../../src/domain/configuration/Standing.ts"
import { weaknessOf } from "../../../../src/domain/quorum/EndpointQuorum.ts"
import { haltOf } from "../../../../src/domain/pause/Pause.ts"
import type { Pause } from "../../../../src/domain/pause/Pause.ts"
import { CheckedConfiguration } from "../../../../src/services/operations/CheckedConfiguration.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import { EndpointQuorums } from "../../config/EndpointQuorums.ts"

const problemOf =
  (name: string) => <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<string>, never, R> =>
    check.pipe(
      Effect.timeout("3 seconds"),
      Effect.result,
      Effect.map((result) => Result.isFailure(result) ? [`${name} does not answer`] : [])
    )

/** The checked entries of a chain: its own, and entries of others that concern it. */
const configurationOf = (chain: Chain, standings: ReadonlyArray<Standing>) => {
  const unread = standings.some(({ entry, reading }) =>
    entry.role === "chain" && entry.chain.id === chain.id && reading._tag === "Unread"
  )
  const differences = standings.flatMap((standing) => {
    const { entry: { chain: { slug }, role }, reading } = standing
    return differencesOf(reading).filter(({ covers }) => role === "hub" || covers.chainId === chain.id).map((
      compared
    ) => ({ line: describeCompared(slug, compared), compared, role }))
  })
  return {
    configuration: differences.length > 0 ? "contradicted" as const : unread ? "unread" as const : "confirmed" as const,
    isOut: unread || differences.some(({ compared, role }) => role === "hub" || compared.covers._tag === "Chain"),
    lines: [
      ...(unread ? [`chain ${chain.slug} could not be compared with its configuration yet`] : []),
      ...differences.map(({ line }) => line)
    ]
  }
}

const readinessOf = (
  chain: Chain,
  silent: ReadonlyArray<string>,
  pauses: ReadonlyArray<Pause>,
  standings: ReadonlyArray<Standing>,
  weakness: string | undefined
) => {
  const { configuration, isOut, lines } = configurationOf(chain, standings)
  const halted = haltOf(pauses, chain.id) === undefined
    ? []
    : [`chain ${chain.slug} is halted: resume halt:${chain.id}`]
  return {
    id: chain.slug,
    serves: silent.length === 0 && halted.length === 0 && !isOut,
    configuration,
    problems: [...silent, ...halted, ...lines],
    warnings: weakness === undefined ? [] : [`chain ${chain.slug} ${weakness}`]
  }
}

/** Looks anew each time it runs, for at most three seconds. */
export const makeReadiness = Effect.gen(function*() {
  const chains = yield* Chains
  const checked = yield* CheckedConfiguration
  const watcher = yield* DepositWatcher
  const pausing = yield* Pausing
  const quorums = yield* EndpointQuorums
  const sql = yield* SqlClient.SqlClient

  const weakness = ({ id }: Chain) => {
    const quorum = quorums.get(id)
    return quorum === undefined ? undefined : weaknessOf(quorum)
  }

  return Effect.gen(function*() {
    const [store, ...silent] = yield* Effect.all([
      problemOf("the store")(sql`SELECT 1 AS one`),
      ...chains.all.map((chain) => problemOf(`chain ${chain.slug}`)(watcher.head(chain)))
    ], { concurrency: "unbounded" })
    // A store that does not answer is already reported as a problem.
    const pauses = yield* Effect.orElseSucceed(pausing.all, () => [])
    const standings = yield* checked.standings
    return {
      store,
      chains: chains.all.map((chain, index) =>
        readinessOf(chain, silent[index] ?? [], pauses, standings, weakness(chain))
      )
    }
  })
})
