/**
 * Random withdrawals of every family, for the tests of this folder. Not for production code.
 */
import { Psbt, networks } from "bitcoinjs-lib"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { scriptOfAddress } from "../../families/bitcoin/BitcoinScript.ts"
import { Hex } from "../../encoding/Hex.ts"
import type { VmFamily } from "../../chain/VmFamily.ts"
import { account, hash32, hex, uint256 } from "../../order/testing/Orders.ts"
import { encodeTransfer, type CallRequest } from "../../families/ethereum/CallRequest.ts"
import type { ExchangeAWithdrawal } from "../../families/exchange-a/ExchangeAWithdrawal.ts"
import type { ExchangeBWithdrawal } from "../../families/exchange-b/ExchangeBWithdrawal.ts"
import type { SolanaWithdrawal } from "../../families/solana/SolanaWithdrawal.ts"
import { decodeBitcoinWithdrawal } from "../../families/bitcoin/BitcoinWithdrawal.ts"
import type { Withdrawal } from "../../families/Withdrawals.ts"

const evm = account("ethereum-vm")
const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
const text = fc.string({ unit: "grapheme", maxLength: 40 })

const transfer = fc.tuple(evm, uint256).map(([to, amount]) => Result.getOrThrow(encodeTransfer(to, amount)))

export const callRequest: fc.Arbitrary<CallRequest> = fc.record({
  calls: fc.array(
    fc.record({
      to: evm,
      data: fc.oneof(fc.constant(Hex.make("0x")), transfer, hex),
      value: fc.oneof(fc.constant(0n), uint256),
      allowFailure: fc.boolean()
    }, { noNullPrototype: true }),
    { maxLength: 3 }
  ),
  nonce: uint256,
  expiration: uint256
}, { noNullPrototype: true })

export const solanaWithdrawal: fc.Arbitrary<SolanaWithdrawal> = fc.record({
  domain: hash32,
  recipient: account("solana-vm"),
  token: fc.option(account("solana-vm"), { nil: undefined }),
  amount: uint64,
  nonce: uint64,
  expiration: fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
  vault: account("solana-vm")
}, { noNullPrototype: true })

export const exchangeAWithdrawal: fc.Arbitrary<ExchangeAWithdrawal> = fc.oneof(
  fc.record({
    _tag: fc.constant("UsdSend" as const),
    hyperliquidChain: fc.constantFrom("Mainnet", "Testnet"),
    destination: evm,
    amount: fc.constantFrom("1", "0.5", "12.345678", "x"),
    time: uint64
  }, { noNullPrototype: true }),
  fc.record({
    _tag: fc.constant("SendAsset" as const),
    hyperliquidChain: text,
    destination: text,
    sourceDex: text,
    destinationDex: text,
    token: text,
    amount: text,
    fromSubAccount: text,
    nonce: uint64
  }, { noNullPrototype: true })
)

export const exchangeBWithdrawal: fc.Arbitrary<ExchangeBWithdrawal> = fc.record({
  nonce: uint64,
  fromAccountIndex: uint64,
  fromRouteType: fc.constantFrom(0n, 1n),
  apiKeyIndex: uint64,
  toAccountIndex: uint64,
  toRouteType: fc.constantFrom(0n, 1n),
  assetIndex: fc.oneof(fc.constantFrom(0n, 1n, 3n), uint64),
  amount: fc.oneof(fc.constant(0n), uint64),
  usdcFee: uint64,
  lighterChainId: uint64,
  memo: hash32
}, { noNullPrototype: true })

/** A PSBT written by bitcoinjs-lib. */
export const psbtHex: fc.Arbitrary<Hex> = fc.record({
  inputs: fc.array(
    fc.record({
      hash: hash32.map((each) => each.slice(2)),
      index: fc.nat(0xffff),
      sequence: fc.nat(0xffff_ffff),
      value: fc.bigInt(1n, 10n ** 12n)
    }),
    { minLength: 1, maxLength: 4 }
  ),
  outputs: fc.array(
    fc.record({ to: account("bitcoin-vm"), value: fc.bigInt(0n, 10n ** 15n) }),
    { minLength: 1, maxLength: 4 }
  ),
  lockTime: fc.nat(0xffff_ffff)
}).filter(({ inputs }) => new Set(inputs.map((input) => `${input.hash}:${input.index}`)).size === inputs.length)
  .map(({ inputs, lockTime, outputs }) => {
    const psbt = new Psbt({ network: networks.bitcoin })
    psbt.setVersion(2).setLocktime(lockTime)
    for (const { hash, index, sequence, value } of inputs) {
      const script = Result.getOrThrow(scriptOfAddress("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "mainnet"))
      psbt.addInput({ hash, index, sequence, witnessUtxo: { script, value } })
    }
    for (const { to, value } of outputs) {
      psbt.addOutput({ script: Result.getOrThrow(scriptOfAddress(to, "mainnet")), value })
    }
    return Hex.make(`0x${psbt.toHex()}`)
  })

export const withdrawal: { readonly [F in VmFamily]: fc.Arbitrary<Withdrawal> } = {
  "ethereum-vm": callRequest.map((request) => ({ family: "ethereum-vm", request })),
  "tron-vm": callRequest.map((request) => ({ family: "tron-vm", request })),
  "solana-vm": solanaWithdrawal.map((request) => ({ family: "solana-vm", request })),
  "bitcoin-vm": psbtHex.map((each) => ({
    family: "bitcoin-vm",
    request: Result.getOrThrow(decodeBitcoinWithdrawal(each))
  })),
  "exchangea-vm": exchangeAWithdrawal.map((request) => ({ family: "exchangea-vm", request })),
  "exchangeb-vm": exchangeBWithdrawal.map((request) => ({ family: "exchangeb-vm", request }))
}
