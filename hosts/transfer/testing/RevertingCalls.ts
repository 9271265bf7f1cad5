/** A contract that a stranger switches after a fill that calls it was signed, and how that is done: what no trial can see. */
import { Effect, Fiber } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { sendCall } from "./Client.ts"
import { pooled } from "./FeePressure.ts"
import { eventually, holdMining, resumeMining } from "./Misbehaving.ts"
import type { TestChains } from "./TestChains.ts"

/** Anybody sets its flag by calldata; without calldata it does nothing, or burns all that it gets once the flag is set. */
export const FLAGGED = "0x36600b57600054601357005b600035600055005b601356"

/** Calldata that sets the flag, and that clears it. */
export const ON = toHex(1n, { size: 32 })
export const OFF = toHex(0n, { size: 32 })

/** Once the fill of what is deposited waits in beta's pool the stranger sets the flag in the same block, before it: the calls revert. */
export const frontRun = Effect.fnUntraced(function*<E, R>({ beta, solver }: TestChains, deposit: Effect.Effect<unknown, E, R>, target: Hex, flag: Hex, stranger: Hex) {
  yield* holdMining(beta)
  yield* deposit
  yield* eventually("the fill waits", pooled(beta, solver), (waiting) => waiting.length > 0)
  const gwei = 10n ** 9n
  const setting = yield* Effect.forkChild(sendCall(beta, stranger, { to: target, data: flag, gas: 100_000n, maxFeePerGas: 500n * gwei, maxPriorityFeePerGas: 400n * gwei }))
  yield* eventually("the stranger waits", pooled(beta, privateKeyToAccount(stranger).address), (waiting) => waiting.length > 0)
  yield* beta.mine(1)
  yield* Fiber.join(setting)
  yield* resumeMining(beta)
})
