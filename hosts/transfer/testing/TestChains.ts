/** Two local chains with contracts and money, for tests of the transfer host. They end with the scope. */
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { deploy } from "../../localnet/nodes/ethereum/Deployment.ts"
import type { Parties } from "../../localnet/nodes/ethereum/Deployment.ts"
import { generate } from "../../localnet/run/state/Keys.ts"
import { partiesOf } from "../../localnet/run/Network.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"

export interface TestChains {
  readonly alpha: Anvil
  readonly beta: Anvil
  /** The owners on the chains, for setting up another one. */
  readonly parties: Parties
  /** Private keys of funded users. */
  readonly users: ReadonlyArray<`0x${string}`>
  readonly solverKey: `0x${string}`
  readonly solver: `0x${string}`
  /** Issues withdrawals of hub balances. */
  readonly allocatorKey: `0x${string}`
  readonly operatorKey: `0x${string}`
  /** The account that sweeps deposit addresses. */
  readonly operator: `0x${string}`
}

/** The key of a user by its number, counted round. */
export const keyAt = ({ users }: Pick<TestChains, "users">, index: number): `0x${string}` =>
  users[index % users.length] ?? "0x"

/** `args`: further arguments of anvil. */
export const startChainsWith = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const keys = yield* generate
  const start = (slug: "alpha" | "beta") => Anvil.start({ chainId: chainIdOf[slug], blockTime: 1, accounts: 0, args })
  const { alpha, beta } = yield* Effect.all({ alpha: start("alpha"), beta: start("beta") }, {
    concurrency: "unbounded"
  })
  const parties = partiesOf(keys)
  yield* Effect.all([deploy(alpha, parties), deploy(beta, parties)], { concurrency: "unbounded", discard: true })
  return {
    alpha,
    beta,
    parties,
    users: keys.accounts,
    solverKey: keys.solver,
    solver: privateKeyToAccount(keys.solver).address,
    allocatorKey: keys.allocator,
    operatorKey: keys.operator,
    operator: privateKeyToAccount(keys.operator).address
  } satisfies TestChains
})

export const startChains = startChainsWith([])
