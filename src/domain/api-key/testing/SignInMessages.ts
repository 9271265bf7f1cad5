/** Arbitrary well-formed sign-in messages, for tests. */
import * as fc from "fast-check"
import { Address } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import type { SignInMessage } from "../SignInMessage.ts"

export const wallets = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) =>
  Address.make(`0x${Buffer.from(bytes).toString("hex")}`)
)

const times = fc.date({
  min: new Date("2000-01-01T00:00:00Z"),
  max: new Date("2100-01-01T00:00:00Z"),
  noInvalidDate: true
}).map((date) => date.toISOString())

const label = fc.stringMatching(/^[a-z0-9]{1,12}$/u)
const domains = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => [...labels, "com"].join(".")),
  fc.constantFrom("localhost:3001", "127.0.0.1:3001", "[::1]:80", "user@example.com", "a%20b.example")
)
const uris = fc.tuple(label, fc.webPath()).map(([host, path]) => `https://${host}.example${path}`)
const statements = fc.stringMatching(/^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-][A-Za-z0-9._~:/?#[\]@!$&'()*+,;= -]{0,79}$/u)

export const signInMessages: fc.Arbitrary<SignInMessage> = fc.record({
  scheme: fc.constantFrom("https", "http", "wallet-1.x+y"),
  domain: domains,
  address: wallets,
  statement: statements,
  uri: uris,
  chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map((id) => ChainId.make(id)),
  nonce: fc.stringMatching(/^[A-Za-z0-9]{8,40}$/u),
  issuedAt: times,
  expirationTime: times,
  notBefore: times,
  requestId: fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@-]{1,40}$/u),
  resources: fc.array(uris, { minLength: 1, maxLength: 3 })
}, { requiredKeys: ["domain", "address", "uri", "chainId", "nonce", "issuedAt"] })
