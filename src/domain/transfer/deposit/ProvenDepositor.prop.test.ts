/** Who may decide a request by a deposit: the sender, or the account that signed for it, and only in the quoted way. */
import { addressCodec } from "../../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Result from "effect/Result"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { CurrencyAddress } from "../../chain/Address.ts"
import type { Address } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import type { Deposit } from "./Deposit.ts"
import { planRefund } from "../refund/RefundPlan.ts"
import type { Transfer } from "../Transfer.ts"
import { provenDepositor } from "./ProvenDepositor.ts"

const account = (digit: string): Address =>
  Result.getOrThrow(addressCodec("ethereum-vm").parse(`0x${digit.repeat(40)}`))
const [user, stranger, forwarder, another, refundTo] = ["1", "2", "3", "4", "5"].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address
]
const token = CurrencyAddress.make(`0x${"a".repeat(40)}`)
const evil = CurrencyAddress.make(`0x${"b".repeat(40)}`)
const [origin, elsewhere] = [ChainId.make(1), ChainId.make(2)]

interface Facts {
  readonly isPermit: boolean
  readonly sender: Address
  readonly depositor: Address
  readonly through: Address | undefined
  readonly currency: CurrencyAddress
  readonly chainId: ChainId
  readonly amount: bigint
}

const facts: fc.Arbitrary<Facts> = fc.record({
  isPermit: fc.boolean(),
  sender: fc.constantFrom(user, stranger),
  depositor: fc.constantFrom(user, stranger),
  through: fc.constantFrom(undefined, forwarder, another),
  currency: fc.constantFrom(token, evil),
  chainId: fc.constantFrom(origin, elsewhere),
  amount: fc.bigInt({ min: 1n, max: 100n })
})

const transferOf = ({ isPermit }: Facts) =>
  ({
    terms: {
      user,
      refundTo,
      originChainId: origin,
      originCurrency: token,
      ...(isPermit ? { permit: { forwarder } } : {})
    }
  }) as unknown as Transfer

const depositOf = ({ amount, chainId, currency, depositor, sender, through }: Facts) =>
  ({
    amount,
    chainId,
    currency,
    depositor,
    sender,
    ...(through === undefined ? {} : { forwarder: through })
  }) as unknown as Deposit

describe("the proven owner of a deposit", () => {
  it("is the user for their own deposit, or one through the quoted Forwarder in the quoted currency and chain for them: nothing else decides", () => {
    fc.assert(
      fc.property(facts, (each) => {
        const [transfer, deposit] = [transferOf(each), depositOf(each)]
        const signedFor = each.isPermit && each.through === forwarder && each.currency === token &&
          each.chainId === origin
        assert.strictEqual(provenDepositor(transfer, deposit), signedFor ? each.depositor : each.sender)
        const { decides, recipient } = planRefund(transfer, deposit)
        assert.strictEqual(decides, signedFor ? each.depositor === user : each.sender === user)
        // A deciding deposit is refunded as the request says, any other to its depositor.
        assert.strictEqual(recipient, decides && each.chainId === origin ? refundTo : each.depositor)
      }),
      { numRuns: inputs(500, 5_000) }
    )
  })
})
