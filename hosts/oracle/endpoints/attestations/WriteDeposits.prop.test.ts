/** The answer that is written at once has the bytes that its definition gives. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Hex, Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { asAddress } from "../../../../src/domain/families/AddressCodec.ts"
import { DepositsAnswer } from "./AttestationsApi.ts"
import { depositsText } from "./WriteDeposits.ts"
import type { DepositsWire } from "./WriteDeposits.ts"

const decodeHex = Schema.decodeUnknownSync(Hex)
const decodeHex32 = Schema.decodeUnknownSync(Hex32)
const digits = (length: number) => fc.stringMatching(new RegExp(`^0x[0-9a-f]{${length}}$`))
const hex = digits(130).map((each) => decodeHex(each))
const hex32 = digits(64).map((each) => decodeHex32(each))
const address = digits(40).map(asAddress)
const text = fc.string()

const message = fc.record({
  data: fc.record({ transactionId: text, chainId: text }),
  result: fc.record({
    onchainId: hex32,
    depository: text,
    depositId: hex32,
    depositor: text,
    currency: text,
    amount: text
  }),
  signature: fc.record({ signature: hex, oracle: address }),
  extraData: fc.record({ timestamp: fc.nat() })
})
const metadata = fc.record({
  origin: fc.record({ family: text, address: text, chainId: text }),
  hubTokenId: text,
  oracleContract: address,
  oracleChainId: text
})
const signature = fc.record({ signature: hex, oracleContract: address, oracleChainId: text, oracleSigner: address })
const execution = fc.record(
  { signatures: fc.array(signature), metadata: fc.array(metadata), actions: fc.array(hex), idempotencyKey: hex32 },
  { requiredKeys: ["signatures", "actions", "idempotencyKey"] }
)
const answer: fc.Arbitrary<DepositsWire> = fc.record(
  {
    shadow: fc.constant(true as const),
    signaturesMissing: fc.nat(),
    execution,
    messages: fc.array(message, { maxLength: 3 })
  },
  { requiredKeys: ["messages"] }
)

const encode = Schema.encodeSync(Schema.toCodecJson(DepositsAnswer))

describe("the answer of depository-deposits", () => {
  it("has the bytes of its definition, for any answer", () => {
    fc.assert(
      fc.property(answer, (each) => {
        assert.strictEqual(depositsText(each), JSON.stringify(encode(each)))
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })
})
