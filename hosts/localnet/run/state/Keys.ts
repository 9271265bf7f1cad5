/**
 * Keys and secrets of one local network: random, made at its first start, kept
 * in the state folder for its owner only, and never committed.
 *
 * SECURITY: they protect nothing but play money; they are random all the same,
 * so that none of them is ever somebody's key on a public chain.
 */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { generatePrivateKey } from "viem/accounts"

const PrivateKey = Schema.TemplateLiteral(["0x", Schema.String]).check(Schema.isPattern(/^0x[0-9a-f]{64}$/))

export const Keys = Schema.Struct({
  /** Ten users. */
  accounts: Schema.Array(PrivateKey).check(Schema.isMinLength(10), Schema.isMaxLength(10)),
  solver: PrivateKey,
  /** Empties deposit addresses. */
  operator: PrivateKey,
  allocator: PrivateKey,
  /** The oracle's own: it signs what the hub carries out. */
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
