import { addressCodec } from "./index.ts"
import { assert, describe, it } from "@effect/vitest"
import { networks, Psbt } from "bitcoinjs-lib"
import * as Result from "effect/Result"
import { asAddress } from "./AddressCodec.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { decodeWithdrawal, payoutOf, type Withdrawal } from "./Withdrawals.ts"
import { encodeTransfer } from "./ethereum/CallRequest.ts"
import { scaleDecimal } from "./exchange-a/DecimalAmount.ts"
import type { ExchangeBWithdrawal } from "./exchange-b/ExchangeBWithdrawal.ts"
import type { SendAsset, UsdSend } from "./exchange-a/ExchangeAWithdrawal.ts"

const depository = "1KT3zCYUrmQxjcveUNs1Rs7WcXDcPQZ4av"
const payout = (withdrawal: Withdrawal) => payoutOf(withdrawal, { network: "mainnet", depository, decimals: () => 8 })
const paid = (withdrawal: Withdrawal): unknown => Result.getOrThrow(payout(withdrawal))
const refused = (withdrawal: Withdrawal): string => {
  const result = payout(withdrawal)
  return Result.isFailure(result) ? result.failure.reason : assert.fail("accepted")
}

const recipient = asAddress("0x9876543210987654321098765432109876543210")
const token = asAddress("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")
const none = Hex.make("0x")
const hash = Hex32.make(`0x${"ab".repeat(32)}`)

describe("call requests", () => {
  const native = { to: recipient, data: none, value: 5n, allowFailure: false }
  const transfer = { to: token, data: Result.getOrThrow(encodeTransfer(recipient, 7n)), value: 0n, allowFailure: false }
  const request = (...calls: ReadonlyArray<typeof native>): Withdrawal => ({
    family: "ethereum-vm",
    request: { calls, nonce: 1n, expiration: 2n }
  })

  it("pay by a native call or an ERC-20 transfer", () => {
    assert.deepStrictEqual(paid(request(native)), {
      currency: addressCodec("ethereum-vm").nativeCurrency,
      recipient,
      amount: 5n
    })
    assert.deepStrictEqual(paid(request(transfer)), { currency: token, recipient, amount: 7n })
  })

  it("are refused when they pay twice, pay nothing, may fail, or do something else", () => {
    const wrong = [
      request(),
      request(native, native),
      request({ ...native, value: 0n }),
      request({ ...native, allowFailure: true }),
      request({ ...transfer, allowFailure: true }),
      request({ ...transfer, value: 1n }),
      request({ ...transfer, data: Hex.make(`0x${transfer.data.slice(2)}00`) }),
      request({ ...transfer, data: Hex.make(`0x095ea7b3${transfer.data.slice(10)}`) }),
      request({ ...transfer, data: Result.getOrThrow(encodeTransfer(recipient, 0n)) })
    ]
    for (const each of wrong) assert.strictEqual(refused(each), "not one payment")
  })

  it("are spelled for Tron on Tron", () => {
    const onTron = (withdrawal: Withdrawal): Withdrawal =>
      withdrawal.family === "ethereum-vm" ? { family: "tron-vm", request: withdrawal.request } : withdrawal
    const inBase58 = Result.getOrThrow(
      addressCodec("tron-vm").fromBytes(
        Uint8Array.of(0x41, ...Result.getOrThrow(addressCodec("ethereum-vm").toBytes(recipient)))
      )
    )
    assert.deepStrictEqual(paid(onTron(request(native))), {
      currency: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
      recipient: inBase58,
      amount: 5n
    })
    assert.deepInclude(paid(onTron(request(transfer))), { recipient: inBase58, amount: 7n })
  })
})

describe("transfer requests of Solana", () => {
  const wallet = asAddress("7EaP2zkxDLo86x4rnNwwLhB593PsbMva41dqfrfxhsb1")
  const mint = asAddress("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
  const request = {
    domain: hash,
    recipient: wallet,
    token: undefined,
    amount: 9n,
    nonce: 1n,
    expiration: 2n,
    vault: mint
  }

  it("pay SOL, or a token", () => {
    assert.deepStrictEqual(paid({ family: "solana-vm", request }), {
      currency: "11111111111111111111111111111111",
      recipient: wallet,
      amount: 9n
    })
    assert.deepInclude(paid({ family: "solana-vm", request: { ...request, token: mint } }), { currency: mint })
    assert.strictEqual(refused({ family: "solana-vm", request: { ...request, amount: 0n } }), "an amount of zero")
  })
})

describe("PSBTs", () => {
  const psbt = (outputs: ReadonlyArray<readonly [address: string | Uint8Array, value: bigint]>): Withdrawal => {
    const made = new Psbt({ network: networks.bitcoin }).addInput({ hash: "ab".repeat(32), index: 0 })
    for (const [to, value] of outputs) {
      made.addOutput(typeof to === "string" ? { address: to, value } : { script: to, value })
    }
    return Result.getOrThrow(decodeWithdrawal("bitcoin-vm", Hex.make(`0x${made.toHex()}`)))
  }
  const to = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

  it("pay all outputs to the one address besides the depository, without change and OP_RETURN", () => {
    const dataOutput = Uint8Array.of(0x6a, 0x01, 0x00)
    assert.deepStrictEqual(paid(psbt([[to, 600n], [depository, 10_000n], [dataOutput, 0n], [to, 400n]])), {
      currency: addressCodec("bitcoin-vm").nativeCurrency,
      recipient: to,
      amount: 1000n
    })
  })

  it("are refused when they pay several recipients, none, or a script without an address", () => {
    assert.strictEqual(
      refused(psbt([[to, 1n], ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", 1n]])),
      "paid to several addresses"
    )
    assert.strictEqual(refused(psbt([[depository, 1n]])), "nothing is paid")
    assert.match(refused(psbt([[to, 1n], [Uint8Array.of(0x6a, 0x00), 1n]])), /pays no address/)
  })
})

describe("transfers of exchange A", () => {
  const usdSend: UsdSend = {
    _tag: "UsdSend",
    hyperliquidChain: "Mainnet",
    destination: recipient,
    amount: "1.5",
    time: 1n
  }
  const perps = "USDC:0x6d1e7cde53ba9467b783cb7c530ce054"
  const send: SendAsset = {
    _tag: "SendAsset",
    hyperliquidChain: "Mainnet",
    destination: recipient,
    sourceDex: "spot",
    destinationDex: "spot",
    token: "HYPE:0x0D01DC56DCAACA66AD901C959B4011EC",
    amount: "0.00000001",
    fromSubAccount: "",
    nonce: 1n
  }
  const of = (request: SendAsset | UsdSend): Withdrawal => ({ family: "exchangea-vm", request })

  it("pay USDC on perps, a spot token, or a token of a named dex", () => {
    const native = addressCodec("exchangea-vm").nativeCurrency
    assert.deepStrictEqual(paid(of(usdSend)), { currency: native, recipient, amount: 150_000_000n })
    assert.deepInclude(paid(of({ ...send, sourceDex: "", destinationDex: "", token: perps })), { currency: native })
    assert.deepInclude(paid(of(send)), { currency: "0x0d01dc56dcaaca66ad901c959b4011ec", amount: 1n })
    assert.deepInclude(paid(of({ ...send, sourceDex: "xyz", destinationDex: "xyz" })), {
      currency: "0x0d01dc56dcaaca66ad901c959b4011ec78797a"
    })
  })

  it("are refused with another perps token, a remainder, another dex, a sub-account, or a strange name", () => {
    const wrong = [
      of({ ...usdSend, amount: "0.000000001" }),
      of({ ...usdSend, amount: "0" }),
      of({ ...usdSend, amount: "-1" }),
      of({ ...send, sourceDex: "", destinationDex: "" }),
      of({ ...send, destinationDex: "" }),
      of({ ...send, fromSubAccount: recipient }),
      of({ ...send, sourceDex: "\u2626", destinationDex: "\u2626" }),
      of({ ...send, token: "HYPE" }),
      of({ ...send, destination: "0x1" })
    ]
    for (const each of wrong) refused(each)
  })

  it("are scaled by the decimals of their own token, and refused where those are not configured", () => {
    const native = addressCodec("exchangea-vm").nativeCurrency
    const by = (currency: string) => (of: string) => of === currency ? 11 : undefined
    const context = (
      decimals: (of: string) => number | undefined
    ) => ({ network: "mainnet", depository, decimals } as const)
    assert.deepInclude(Result.getOrThrow(payoutOf(of(send), context(by("0x0d01dc56dcaaca66ad901c959b4011ec")))), {
      amount: 1_000n
    })
    assert.isTrue(Result.isFailure(payoutOf(of(send), context(by(native)))))
  })
})

describe("transfers of exchange B", () => {
  const request: ExchangeBWithdrawal = {
    nonce: 1n,
    fromAccountIndex: 2n,
    fromRouteType: 0n,
    apiKeyIndex: 3n,
    toAccountIndex: 44n,
    toRouteType: 0n,
    assetIndex: 3n,
    amount: 5n,
    usdcFee: 0n,
    lighterChainId: 304n,
    memo: hash
  }
  const of = (change: Partial<ExchangeBWithdrawal>): Withdrawal => ({
    family: "exchangeb-vm",
    request: { ...request, ...change }
  })

  it("pay the native currency for asset 3 on route 0, else the asset", () => {
    assert.deepStrictEqual(paid(of({})), { currency: "0", recipient: "44", amount: 5n })
    assert.deepInclude(paid(of({ fromRouteType: 1n, toRouteType: 1n })), { currency: "3" })
    assert.deepInclude(paid(of({ assetIndex: 1n })), { currency: "1" })
  })

  it("are refused for asset 0, another route, or nothing", () => {
    for (const each of [of({ assetIndex: 0n }), of({ toRouteType: 1n }), of({ amount: 0n })]) refused(each)
  })
})

it("decimals are scaled exactly or not at all", () => {
  const cases: ReadonlyArray<readonly [string, number, bigint | undefined]> = [
    ["1", 0, 1n],
    ["1.0", 0, 1n],
    ["1.5", 0, undefined],
    ["0.1", 8, 10_000_000n],
    ["12.34567890", 8, 1_234_567_890n],
    ["0.123456789", 8, undefined],
    ["1.", 8, undefined],
    [".1", 8, undefined],
    ["01", 8, undefined],
    ["1e3", 8, undefined],
    ["", 8, undefined],
    [" 1", 8, undefined],
    ["1".repeat(100), 8, undefined]
  ]
  for (const [text, decimals, expected] of cases) assert.strictEqual(scaleDecimal(text, decimals), expected)
})
