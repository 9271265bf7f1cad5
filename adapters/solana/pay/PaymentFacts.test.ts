import { addressCodec } from "../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { address } from "@solana/kit"
import { Result } from "effect"
import { keyOfName } from "../../../hosts/localnet/nodes/solana/node/LocalKey.ts"
import { vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { solana, solanaPayer, solanaUser } from "../../../src/domain/quote/testing/Chains.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { leastPayment, readPaymentFacts } from "./PaymentFacts.ts"
import { fakeClient, inContext, rentAt, shown } from "./testing/FakeClient.ts"
import { mintData, tokenData } from "./testing/PaymentFixture.ts"
import { mintOf, readAccounts, tokensIn } from "../rpc/Tokens.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"

const LEAST_BALANCE = rentAt(0)
const TOKEN_ACCOUNT_RENT = rentAt(165)
const SYSTEM = "11111111111111111111111111111111"
const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

/** An address that cannot have a private key. */
const offCurve = vaultOf(solanaPayer) ?? ""

const codec = addressCodec("solana-vm")
const payer = address(solanaPayer)
let mints = 0

/** A new token each time, because mints are cached. */
const token = (): Currency => {
  mints += 1
  const bytes = new Uint8Array(32).fill(200)
  bytes[0] = mints
  return {
    ...solana.native,
    address: Result.getOrThrow(codec.currencyFromBytes(bytes)),
    symbol: "USDC",
    decimals: 6,
    isNative: false
  }
}

/** An extended mint: padding up to its kind, then extensions, each with a type and a length. */
const extended = (...extensions: ReadonlyArray<readonly [type: number, length: number]>): Uint8Array =>
  Uint8Array.of(
    ...mintData(6),
    ...new Uint8Array(165 - 82),
    1,
    ...extensions.flatMap(([type, length]) => [type, 0, length, 0, ...new Uint8Array(length)])
  )

type Shown = ReturnType<typeof shown> | null

const facts = (
  currency: Currency,
  {
    destination = null,
    mint = shown(TOKEN, mintData(6)),
    paying = shown(SYSTEM),
    receiving = shown(SYSTEM),
    source = null,
    recipient = solanaUser,
    lamportsAByte
  }: {
    readonly paying?: Shown
    readonly receiving?: Shown
    readonly source?: Shown
    readonly destination?: Shown
    readonly mint?: Shown
    readonly recipient?: Payment["recipient"]
    readonly lamportsAByte?: number
  }
) => {
  const payment: Payment = {
    _tag: "Payout",
    chain: solana,
    currency,
    recipient,
    amount: 5n,
    orderId: OrderId.make(`0x${"01".repeat(32)}`)
  }
  return readPaymentFacts(
    fakeClient({
      getMultipleAccounts: ([addresses]) => {
        const asked = addresses as ReadonlyArray<string>
        return inContext(asked.length === 1 ? [mint] : [paying, receiving, source, destination].slice(0, asked.length))
      },
      getRecentPrioritizationFees: () => [],
      getMinimumBalanceForRentExemption: ([bytes]) => rentAt(Number(bytes), lamportsAByte)
    }),
    payer,
    payment
  )
}

const failureOf = (reading: Promise<unknown>) => reading.then(() => undefined, (error: unknown) => error)

describe("the facts that a payment needs", () => {
  it("say that only a wallet can keep a payment", async () => {
    const keeps = async (receiving: Shown, recipient = solanaUser) =>
      (await facts(solana.native, { receiving, recipient })).isKept
    assert.isTrue(await keeps(shown(SYSTEM)))
    assert.isTrue(await keeps(null, Result.getOrThrow(codec.parse(keyOfName("causeway.test.wallet").address))))
    assert.isFalse(await keeps(shown(TOKEN)))
    assert.isFalse(await keeps(shown(SYSTEM, Uint8Array.of(1))))
    assert.isFalse(await keeps(shown(SYSTEM, new Uint8Array(), { executable: true })))
    // A program's account may act as a wallet once it exists. Until then, the address is most likely that of a token
    // account.
    assert.isFalse(await keeps(null, Result.getOrThrow(codec.parse(offCurve))))
  })

  it("let the payer spend what it has above the minimum that every account must hold", async () => {
    for (
      const [held, spendable] of [[0, 0n], [890_879, 0n], [890_880, 0n], [890_881, 1n], [
        5_000_000_000,
        5_000_000_000n - LEAST_BALANCE
      ]] as const
    ) {
      assert.strictEqual(
        (await facts(solana.native, { paying: shown(SYSTEM, new Uint8Array(), { lamports: held }) })).lamports,
        spendable
      )
    }
    assert.strictEqual((await facts(solana.native, { paying: null })).lamports, 0n)
  })

  it("include opening the recipient's token account if it does not exist, and nothing else", async () => {
    assert.deepInclude(await facts(solana.native, {}), { rent: 0n, token: undefined })
    assert.deepInclude(await facts(token(), {}), { rent: TOKEN_ACCOUNT_RENT, isKept: true })
    const open = shown(TOKEN, tokenData(address(SYSTEM), address(solanaUser), 0n))
    assert.deepInclude(await facts(token(), { destination: open }), { rent: 0n, isKept: true })
    const source = shown(TOKEN, tokenData(address(SYSTEM), payer, 77n))
    assert.strictEqual((await facts(token(), { source })).token?.held, 77n)
    assert.strictEqual((await facts(token(), {})).token?.held, 0n)
  })

  it("include it by the account's size: larger for Token-2022, and by what the mint puts into each account", async () => {
    const rent = async (...extensions: ReadonlyArray<readonly [type: number, length: number]>) =>
      (await facts(token(), { mint: shown(TOKEN_2022, extended(...extensions)) })).rent - TOKEN_ACCOUNT_RENT
    // The kind of account, and that its owner is immutable: 5 bytes. Metadata add nothing to accounts, hooks 5 bytes.
    assert.strictEqual(await rent(), 34_800n)
    assert.strictEqual(await rent([18, 64], [3, 32]), 34_800n)
    assert.strictEqual(await rent([14, 64], [18, 64]), 69_600n)
    assert.strictEqual(
      (await facts(token(), { mint: shown(TOKEN_2022, mintData(6)) })).rent,
      TOKEN_ACCOUNT_RENT + 34_800n
    )
    // Who opens and closes the account before the payment takes what others have sent to its address.
    const sent = shown(SYSTEM, new Uint8Array(), { lamports: 2_039_280 })
    assert.strictEqual(
      (await facts(token(), { mint: shown(TOKEN_2022, mintData(6)), destination: sent })).rent,
      TOKEN_ACCOUNT_RENT + 34_800n
    )
  })

  it("follow the rent that the chain names, down to the unit, also for a mint that is known already", async () => {
    const usdc = token()
    for (
      const [lamportsAByte, least, rent] of [[6_960, 890_880n, 2_039_280n], [5_080, 650_240n, 1_488_440n], [
        696,
        89_088n,
        203_928n
      ]] as const
    ) {
      const poor = shown(SYSTEM, new Uint8Array(), { lamports: Number(least) + 7 })
      const opening = await facts(usdc, { lamportsAByte, paying: poor })
      assert.deepInclude(opening, { rent, leastBalance: least, lamports: 7n })
      assert.deepInclude(opening.token, { opens: true, rent })
      const open = shown(TOKEN, tokenData(address(SYSTEM), address(solanaUser), 0n))
      const paid = await facts(usdc, { lamportsAByte, destination: open })
      assert.deepInclude(paid, { rent: 0n })
      assert.deepInclude(paid.token, { opens: false, rent })
      const native = await facts(solana.native, { lamportsAByte, receiving: null })
      assert.strictEqual(leastPayment({ currency: solana.native }, native), least)
    }
  })

  it("say that a token which may take a fee is not paid whole, wherever that extension stands", async () => {
    const isKept = async (data: Uint8Array) => (await facts(token(), { mint: shown(TOKEN_2022, data) })).isKept
    assert.isTrue(await isKept(mintData(6)))
    assert.isTrue(await isKept(extended([3, 32], [18, 64])))
    assert.isFalse(await isKept(extended([1, 108])))
    assert.isFalse(await isKept(extended([3, 32], [1, 108])))
    // Bytes of another extension that look like one.
    assert.isTrue(
      await isKept(Uint8Array.of(...mintData(6), ...new Uint8Array(165 - 82), 1, 3, 0, 8, 0, 1, 0, 4, 0, 1, 0, 0, 0))
    )
  })

  it("are missing for what is not a mint, is absent, or is only half answered", async () => {
    assert.instanceOf(await failureOf(facts(token(), { mint: null })), NodeIsBehind)
    assert.instanceOf(await failureOf(facts(token(), { mint: shown(SYSTEM, mintData(6)) })), Error)
    const half = fakeClient({ getMultipleAccounts: () => inContext([shown(SYSTEM)]) })
    assert.instanceOf(await failureOf(readAccounts(half, [payer, payer])), NodeIsBehind)
    assert.instanceOf(
      await failureOf(mintOf(
        fakeClient({ getMultipleAccounts: () => inContext([shown(SYSTEM, mintData(6))]) }),
        solana,
        token()
      )),
      Error
    )
  })

  it("count no tokens in an account that is not a token account", () => {
    assert.strictEqual(tokensIn(undefined), 0n)
    const account = { lamports: 1n, owner: address(TOKEN), executable: false }
    for (const length of [0, 64, 71]) {
      assert.strictEqual(tokensIn({ ...account, data: new Uint8Array(length).fill(1) }), 0n)
    }
    assert.strictEqual(
      tokensIn({ ...account, data: tokenData(address(SYSTEM), payer, (1n << 64n) - 1n) }),
      (1n << 64n) - 1n
    )
  })
})
