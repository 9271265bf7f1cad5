/** What a client accepts of an exchange A origin's steps: exactly the order's mapping and transfer, nothing that differs. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { withAnotherLeaf } from "../../../../../property-tests/EvidenceDamage.ts"
import { OrderId } from "../../../order/Order.ts"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import { alpha, evmAddress, exchangeA, exchangeAToken } from "../../../quote/testing/Chains.ts"
import { Step } from "../../../quote/wire/Step.ts"
import { exchangeASteps } from "./VerifyExchangeASteps.ts"

const order = OrderId.make(`0x${"5a".repeat(32)}`)
const user = evmAddress("11")
const recipient = evmAddress("22")
const nonce = 1_790_000_000_123
const zero = `0x${"0".repeat(40)}`

const requestFor = (currency: string, changes: object = {}) => {
  const body = Schema.decodeUnknownSync(QuoteRequest)({
    user,
    recipient,
    originChainId: exchangeA.id,
    destinationChainId: alpha.id,
    originCurrency: currency,
    destinationCurrency: alpha.native.address,
    amount: "250000000",
    tradeType: "EXACT_INPUT",
    ...changes
  })
  const addressed = { ...exchangeA, depositAddresses: { keys: "derived" } } as const
  return Result.getOrThrow(resolveRequest(body, [alpha, addressed]))
}

/** A send to another account of the exchange. */
const sending = { destinationChainId: exchangeA.id, destinationCurrency: exchangeA.native.address }

/** As the specification writes them. */
const written = (dex: string, token: string, amount: string, payee: string = exchangeA.depository) => [
  {
    id: "authorize",
    kind: "signature",
    action: "Sign",
    description: "Sign",
    requestId: `0x${"0a".repeat(32)}`,
    items: [{
      status: "incomplete",
      data: {
        sign: {
          signatureKind: "eip712",
          domain: { name: "RelayNonceMapping", version: "2", chainId: 42_161, verifyingContract: zero },
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
          value: { chainId: "exchangea", wallet: user, depositor: user, id: order, nonce }
        },
        post: {
          endpoint: "/authorize",
          method: "POST",
          body: {
            type: "nonce-mapping",
            walletChainId: "exchangea",
            wallet: user,
            depositor: user,
            nonce,
            id: order,
            signatureChainId: 42_161
          }
        }
      }
    }]
  },
  {
    id: payee === recipient ? "send" : "deposit",
    kind: "transaction",
    action: "Confirm",
    description: "Confirm",
    requestId: `0x${"0a".repeat(32)}`,
    items: [{
      status: "incomplete",
      data: {
        action: {
          type: "sendAsset",
          parameters: {
            hyperliquidChain: "Mainnet",
            destination: payee,
            sourceDex: dex,
            destinationDex: dex,
            token,
            amount,
            fromSubAccount: "",
            nonce
          }
        },
        nonce,
        eip712Types: {
          "HyperliquidTransaction:SendAsset": [
            { name: "hyperliquidChain", type: "string" },
            { name: "destination", type: "string" },
            { name: "sourceDex", type: "string" },
            { name: "destinationDex", type: "string" },
            { name: "token", type: "string" },
            { name: "amount", type: "string" },
            { name: "fromSubAccount", type: "string" },
            { name: "nonce", type: "uint64" }
          ]
        },
        eip712PrimaryType: "HyperliquidTransaction:SendAsset"
      }
    }]
  }
]

const perps = written("", "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", "2.5")
const spot = written("spot", `TOK:${exchangeAToken.address}`, "2500")
const send = written("", "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", "2.5", recipient)
const decode = Schema.decodeUnknownResult(Schema.Array(Step))

/** The names of the checks that failed, or "undecodable". */
const failed = (
  steps: unknown,
  currency: string = exchangeA.native.address,
  changes: object = {}
): ReadonlyArray<string> => {
  const decoded = decode(steps)
  if (Result.isFailure(decoded)) return ["undecodable"]
  const request = requestFor(currency, changes)
  return exchangeASteps.steps(decoded.success, {
    request,
    orderId: order,
    amount: 250_000_000n,
    least: 0n,
    explicitDeposit: true
  }).filter(({ outcome }) => outcome !== "ok").map(({ name }) => name)
}

describe("the steps of an exchange A origin", () => {
  it("are accepted as the specification writes them, on perps and on spot", () => {
    assert.deepStrictEqual(failed(perps), [])
    assert.deepStrictEqual(failed(spot, exchangeAToken.address), [])
  })

  it("may take the money from spot, where some accounts keep it, and from no other dex (EXCHANGEA-36)", () => {
    const from = (dex: string): unknown =>
      JSON.parse(JSON.stringify(perps).replace(`"sourceDex":""`, `"sourceDex":"${dex}"`))
    assert.deepStrictEqual(failed(from("spot")), [])
    for (const dex of ["xyz", "Spot", " "]) assert.isNotEmpty(failed(from(dex)), dex)
    const elsewhere: unknown = JSON.parse(
      JSON.stringify(from("spot")).replace(`"destinationDex":""`, `"destinationDex":"spot"`)
    )
    assert.isNotEmpty(failed(elsewhere))
  })

  it("of a send pay the recipient, and of a deposit the depository: neither is accepted as the other", () => {
    const failedFor = (steps: unknown) => failed(steps, exchangeA.native.address, sending)
    assert.deepStrictEqual(failedFor(send), [])
    const [authorize, paying] = send
    for (const steps of [perps, [paying], [authorize], [authorize, { ...paying, id: "deposit" }], [...send, paying]]) {
      assert.isNotEmpty(failedFor(steps))
    }
    assert.isNotEmpty(failed(send))
  })

  it("are refused with any value of what is signed or posted changed", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.boolean(), (leaf, how, isSend) => {
        const asked = isSend ? send : perps
        const signed = asked.map(({ items: [item] }) => item?.data)
        const changed = withAnotherLeaf(signed, leaf, how)
        if (JSON.stringify(changed) === JSON.stringify(signed)) return
        const steps = asked.map((step, index) => ({
          ...step,
          items: [{ status: "incomplete", data: changed[index] }]
        }))
        assert.isNotEmpty(
          failed(steps, exchangeA.native.address, isSend ? sending : {}),
          JSON.stringify(changed)
        )
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("are refused in another order, twice, without the mapping, and for another nonce than the mapped one", () => {
    const [authorize, deposit] = perps
    const later: unknown = JSON.parse(JSON.stringify(deposit).replaceAll(`${nonce}`, `${nonce + 1}`))
    for (
      const steps of [
        [deposit, authorize],
        [deposit],
        [authorize],
        [],
        [authorize, deposit, deposit],
        [authorize, later]
      ]
    ) {
      assert.isNotEmpty(failed(steps))
    }
  })
})

describe("the step of an exchange A deposit address", () => {
  const address = evmAddress("77")
  const asked = { useDepositAddress: true, refundTo: user }
  const [, deposit] = perps
  const paying: unknown = JSON.parse(
    JSON.stringify({ ...deposit, depositAddress: address }).replaceAll(exchangeA.depository, address)
  )
  const failedFor = (steps: unknown) => failed(steps, exchangeA.native.address, asked)

  it("is one transfer to the address that it shows, whose owner only the service can check", () => {
    assert.deepStrictEqual(failedFor([paying]), ["deposit address"])
  })

  it("is refused with any value changed but the nonce, and with an address that is known as another account", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (leaf, how) => {
        const { items } = paying as { readonly items: ReadonlyArray<{ readonly data: unknown }> }
        const data = items[0]?.data
        const changed = withAnotherLeaf(data, leaf, how)
        if (JSON.stringify(changed) === JSON.stringify(data)) return
        const steps = [{ ...paying as object, items: [{ status: "incomplete", data: changed }] }]
        assert.notDeepEqual(failedFor(steps), ["deposit address"], JSON.stringify(changed))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
    for (const known of [user, evmAddress("22"), exchangeA.depository]) {
      const steps: unknown = JSON.parse(JSON.stringify([paying]).replaceAll(address, known))
      assert.include(failedFor(steps), "deposit address is one")
    }
    for (const steps of [[], [deposit], perps, [...perps, paying], [paying, paying]]) {
      assert.notDeepEqual(failedFor(steps), ["deposit address"])
    }
  })
})
