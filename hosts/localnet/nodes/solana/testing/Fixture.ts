/** A local chain with the depository, a funded user, solver and allocator, and kit's client. For tests. */
import { Effect } from "effect"
import type { SolanaOptions } from "../Solana.ts"
import { Solana } from "../Solana.ts"
import { keyOfName } from "../node/LocalKey.ts"
import { genesis } from "../Genesis.ts"
import { connect, signerOf } from "./Client.ts"

export const userKey = keyOfName("causeway.test.solana.user")
export const otherKey = keyOfName("causeway.test.solana.other")
export const solverKey = keyOfName("causeway.test.solana.solver")
export const allocatorKey = keyOfName("causeway.test.solana.allocator")

export const parties = {
  accounts: [userKey.address, otherKey.address],
  solver: solverKey.address,
  allocator: allocatorKey.address
}

export const startFixture = Effect.fnUntraced(function*(options: SolanaOptions = {}) {
  const solana = yield* Solana.start({ genesis: genesis(parties), ...options })
  const [user, other, solver, allocator] = yield* Effect.promise(() =>
    Promise.all([userKey, otherKey, solverKey, allocatorKey].map(signerOf))
  )
  if (user === undefined || other === undefined || solver === undefined || allocator === undefined) {
    return yield* Effect.die("four signers")
  }
  return { solana, client: connect(solana), user, other, solver, allocator }
})
export type Fixture = Effect.Success<ReturnType<typeof startFixture>>
