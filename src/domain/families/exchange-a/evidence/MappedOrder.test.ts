/** Which mapping names the order of a transfer, and when a missing mapping means that there is none. */
import { assert, describe, it } from "@effect/vitest"
import { privateKeyToAccount } from "viem/accounts"
import { account, exchangeAKey, slug, transaction, word } from "../../../../../property-tests/EvidenceChains.ts"
import { Hex } from "../../../encoding/Hex.ts"
import type { KeptNonceMapping } from "../../../nonce-mapping/NonceMapping.ts"
import { isLasting } from "../../../evidence/SameEvidence.ts"
import type { TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"
import { GRACE_SECONDS, withMapping } from "./MappedOrder.ts"
import { transferFacts } from "./Transfer.ts"

const [sender, stranger, depository] = [
  account("exchangea-vm", 1),
  account("exchangea-vm", 2),
  account("exchangea-vm", 50)
]
const TIME = 1_700_000_000
const id = word(9)

const seenAt = (
  graceLeft: number,
  changes: Partial<TransactionEvidence> = {},
  into = depository
): TransactionEvidence => ({
  _tag: "Transaction",
  chain: slug("exchangea-vm"),
  transactionId: transaction("exchangea-vm", 1),
  outcome: "succeeded",
  block: { height: 5n, hash: "5", time: TIME },
  finality: { _tag: "Final" },
  orderIds: [],
  routerCalls: [],
  ...transferFacts(
    { sender, transfer: { _tag: "UsdSend", hyperliquidChain: "Mainnet", destination: into, amount: "1", time: 7n } },
    depository,
    new Map(),
    graceLeft
  ),
  ...changes
})

const mapping = async (changes: Partial<KeptNonceMapping> = {}, by = 1): Promise<KeptNonceMapping> => {
  const kept = {
    chain: slug("exchangea-vm"),
    wallet: sender,
    depositor: sender,
    nonce: 7n,
    id,
    signatureChainId: 1,
    createdAt: TIME * 1_000,
    ...changes
  }
  const signature = await privateKeyToAccount(exchangeAKey(by)).signTypedData({
    domain: {
      name: "RelayNonceMapping",
      version: "2",
      chainId: kept.signatureChainId,
      verifyingContract: "0x0000000000000000000000000000000000000000"
    },
    types: {
      NonceMapping: [
        { name: "chainId", type: "string" },
        { name: "wallet", type: "address" },
        { name: "depositor", type: "address" },
        { name: "id", type: "bytes32" },
        { name: "nonce", type: "uint256" }
      ]
    },
    primaryType: "NonceMapping",
    message: {
      chainId: kept.chain,
      wallet: Hex.make(`0x${kept.wallet.slice(2)}`),
      depositor: Hex.make(`0x${kept.depositor.slice(2)}`),
      id: kept.id,
      nonce: kept.nonce
    }
  })
  return { ...kept, signature: Hex.make(signature) }
}

/** The id that a deposit got, or why it has none. */
const idOf = (seen: ReturnType<typeof withMapping>): string =>
  seen._tag !== "Transaction"
    ? "absent"
    : seen.finality._tag !== "Final"
    ? `not yet, ${seen.finality.secondsLeft} s`
    : seen.deposits[0]?.depositId ?? seen.orderIds[0] ?? "none"

describe("the order of a transfer of exchange A", () => {
  it("is the one that its own wallet signed, for a deposit and for a payment", async () => {
    assert.strictEqual(idOf(withMapping(seenAt(60), await mapping())), id)
    assert.deepInclude(withMapping(seenAt(60, {}, stranger), await mapping()), { orderIds: [id] })
  })

  it("is no one else's: another wallet, signer, depositor, nonce or chain, or too late", async () => {
    const wrong = [
      await mapping({}, 2),
      await mapping({ wallet: stranger, depositor: stranger }, 2),
      await mapping({ depositor: stranger }),
      await mapping({ nonce: 8n }),
      await mapping({ chain: slug("exchangea-vm", true) }),
      await mapping({ createdAt: (TIME + GRACE_SECONDS + 1) * 1_000 })
    ]
    for (const found of [undefined, ...wrong]) {
      assert.strictEqual(
        idOf(withMapping(seenAt(60), found)),
        "not yet, 60 s",
        JSON.stringify(found, (_, each: unknown) => String(each))
      )
      assert.strictEqual(idOf(withMapping(seenAt(0), found)), word(0))
    }
  })

  it("counts when it was mapped in the very last second, or long before", async () => {
    assert.strictEqual(
      idOf(withMapping(seenAt(0), await mapping({ createdAt: (TIME + GRACE_SECONDS) * 1_000 + 999 }))),
      id
    )
    assert.strictEqual(idOf(withMapping(seenAt(0), await mapping({ createdAt: 0 }))), id)
  })

  it("makes nothing final that is not, and is not cached while a mapping may still come", async () => {
    const pending = seenAt(60, { finality: { _tag: "Pending", confirmations: 0, needed: 1, secondsLeft: 0 } })
    assert.strictEqual(withMapping(pending, await mapping()), pending)
    assert.isFalse(isLasting(seenAt(1)))
    assert.isTrue(isLasting(seenAt(0)))
  })
})
