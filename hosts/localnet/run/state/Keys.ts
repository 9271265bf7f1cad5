/**
 * Keys and secrets of one local network: random, made at its first start, stored in the state folder for its owner
 * only, and never committed.
 *
 * SECURITY: they protect only test money. They are random anyway, so that none of them is ever a key in use on a public
 * chain.
 */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { generatePrivateKey } from "viem/accounts"

const PrivateKey = Schema.TemplateLiteral(["0x", Schema.String]).check(Schema.isPattern(/^0x[0-9a-f]{64}$/))

export const Keys = Schema.Struct({
  /** Ten users. */
  accounts: Schema.Array(PrivateKey).check(Schema.isMinLength(10), Schema.isMaxLength(10)),
  solver: PrivateKey,
  /** Sweeps deposit addresses. */
  operator: PrivateKey,
  allocator: PrivateKey,
  /** The oracle's own: it signs what the hub executes. */
  oracle: PrivateKey,
  adminToken: Schema.String.check(Schema.isMinLength(32)),
  oracleApiKey: Schema.String.check(Schema.isMinLength(32))
})
export type Keys = typeof Keys.Type

/** New random keys. */
export const generate: Effect.Effect<Keys> = Effect.sync(() => ({
  accounts: Array.from({ length: 10 }, () => generatePrivateKey()),
  solver: generatePrivateKey(),
  operator: generatePrivateKey(),
  allocator: generatePrivateKey(),
  oracle: generatePrivateKey(),
  adminToken: randomBytes(32).toString("hex"),
  oracleApiKey: `demo-${randomBytes(24).toString("hex")}`
}))
