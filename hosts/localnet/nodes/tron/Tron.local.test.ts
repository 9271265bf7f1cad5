import { assert, it as test, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encodeFunctionData, erc20Abi } from "viem"
import {
  abi as depositoryAbi,
  bytecode as depositoryCode
} from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { abi as usdcAbi, bytecode as usdcCode } from "../../../../adapters/ethereum/contracts/artifacts/TestUSDC.ts"
import { addressOf } from "../ethereum/Addresses.ts"
import {
  allowUsdc,
  approve,
  depositErc20,
  depositNative,
  executeWithdrawal,
  payNative,
  signWithdrawal,
  transferUsdc,
  transferUsdcFrom
} from "./Deposits.ts"
import type { Withdrawal } from "./Deposits.ts"
import { anyFree } from "../Port.ts"
import { bandwidthOf, prices } from "./node/Fees.ts"
import { keyOfName } from "./node/LocalKey.ts"
import { Wallet } from "./node/Wallet.ts"
import * as Tron from "./Tron.ts"
import * as TronProcess from "./TronProcess.ts"

class Running
  extends Context.Service<Running, Tron.Tron & { readonly one: Wallet; readonly other: Wallet }>()("test/TronRunning")
{
  static readonly layer = Layer.effect(
    Running,
    Effect.gen(function*() {
      const tron = yield* Tron.start()
      return { ...tron, one: yield* tron.wallet("somebody"), other: yield* tron.wallet("somebody else") }
    })
  )
}

const ID = `0x${"ab".repeat(32)}` as const
const TRX = 1_000_000n
const payee = keyOfName("causeway.test.tron.payee")

/** The value at a path of an answer. Undefined when there is none. */
const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (of, key) => typeof of === "object" && of !== null ? Object.getOwnPropertyDescriptor(of, key)?.value : undefined,
    value
  )

const post = (url: string, body: unknown) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", body: JSON.stringify(body) }).then((response): Promise<unknown> => response.json())
  )

const ask = (path: string, body: unknown = {}) => Effect.flatMap(Running, ({ url }) => post(`${url}/${path}`, body))
const rpc = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.flatMap(Running, ({ jsonRpcUrl }) => post(jsonRpcUrl, { jsonrpc: "2.0", id: 1, method, params }))
const told = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(rpc(method, ...params), (answer) => at(answer, "result"))
const errorOf = (method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(rpc(method, ...params), (answer) => at(answer, "error", "message"))
const info = (txID: string) => ask("wallet/gettransactioninfobyid", { value: txID })
const balance = (account: string) =>
  Effect.map(told("eth_getBalance", account, "latest"), (value) => BigInt(String(value)))

/** Sent and in a block. */
const done = (send: () => Promise<string>) =>
  Effect.gen(function*() {
    const { mine } = yield* Running
    const txID = yield* Effect.promise(send)
    yield* mine()
    return txID
  })

/** A transfer by the wallet, built and signed by tronweb and not sent. */
const signedTransfer = (wallet: Wallet, to: string, sun: number) =>
  Effect.promise(async () => {
    const built = await wallet.client.transactionBuilder.sendTrx(to, sun, wallet.key.address)
    return { built, signed: await wallet.client.trx.sign(built) }
  })

const Refused = Schema.Struct({ code: Schema.String, txid: Schema.optionalKey(Schema.String), message: Schema.String })

/** The code and the message of the node's refusal. */
const refusal = (transaction: unknown) =>
  Effect.map(ask("wallet/broadcasttransaction", transaction), (answer) => {
    const { code, message } = Schema.decodeUnknownSync(Refused)(answer)
    return [code, Buffer.from(message, "hex").toString("utf8")] as const
  })

/** The number that a contract's view returns through tronweb. */
const constant = (wallet: Wallet, contract: string, signature: string, ...accounts: ReadonlyArray<string>) =>
  Effect.map(
    Effect.promise(() =>
      wallet.client.transactionBuilder.triggerConstantContract(
        contract,
        signature,
        {},
        accounts.map((value) => ({ type: "address", value })),
        wallet.key.address
      )
    ),
    (answer) => BigInt(`0x${String(at(answer, "constant_result", 0))}`)
  )

const Parameters = Schema.Struct({
  chainParameter: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.Int }))
})

const failureOf = (send: () => Promise<unknown>) =>
  Effect.map(Effect.flip(Effect.tryPromise(send)), ({ cause }) => String(cause))

layer(Running.layer, { excludeTestServices: true })("a local Tron chain", (it) => {
  it.effect("has blocks three seconds apart, the same over HTTP and JSON-RPC, and derives its number from the first", () =>
    Effect.gen(function*() {
      const { chainId, mine } = yield* Running
      yield* mine(2)
      const now = yield* ask("wallet/getnowblock")
      const number = Number(at(now, "block_header", "raw_data", "number"))
      const before = yield* ask("wallet/getblockbynum", { num: number - 1 })
      assert.strictEqual(at(now, "block_header", "raw_data", "parentHash"), at(before, "blockID"))
      assert.strictEqual(
        Number(at(now, "block_header", "raw_data", "timestamp")) -
          Number(at(before, "block_header", "raw_data", "timestamp")),
        3_000
      )
      assert.strictEqual(String(at(now, "blockID")).slice(0, 16), number.toString(16).padStart(16, "0"))
      const eth = yield* told("eth_getBlockByNumber", `0x${number.toString(16)}`, false)
      assert.deepStrictEqual([at(eth, "hash"), at(eth, "parentHash"), Number(at(eth, "timestamp")) * 1_000], [
        `0x${String(at(now, "blockID"))}`,
        `0x${String(at(before, "blockID"))}`,
        at(now, "block_header", "raw_data", "timestamp")
      ])
      assert.deepStrictEqual(yield* told("eth_getBlockByHash", at(eth, "hash"), false), eth)
      const first = yield* ask("wallet/getblock", { id_or_num: "0", detail: false })
      assert.strictEqual(Number.parseInt(String(at(first, "blockID")).slice(-8), 16), chainId)
      assert.strictEqual(yield* told("eth_chainId"), `0x${chainId.toString(16)}`)
      assert.deepStrictEqual(yield* ask("wallet/getblockbynum", { num: number + 1 }), {})
      assert.isNull(yield* told("eth_getBlockByNumber", `0x${(number + 1).toString(16)}`, false))
    }))

  it.effect("accepts a transfer with a memo: its id is the hash of its bytes, and JSON-RPC shows everything but the memo", () =>
    Effect.gen(function*() {
      const { mine, one } = yield* Running
      const held = yield* balance(payee.evm)
      const txID = yield* Effect.promise(() => payNative(one, payee.address, 3n * TRX, ID))
      assert.deepStrictEqual(yield* ask("wallet/gettransactionbyid", { value: txID }), {})
      assert.isNull(yield* told("eth_getTransactionByHash", `0x${txID}`))
      yield* mine()
      const seen = yield* ask("wallet/gettransactionbyid", { value: txID })
      assert.deepStrictEqual([at(seen, "raw_data", "data"), at(seen, "ret", 0, "contractRet")], [
        ID.slice(2),
        "SUCCESS"
      ])
      assert.strictEqual(
        createHash("sha256").update(Buffer.from(String(at(seen, "raw_data_hex")), "hex")).digest("hex"),
        txID
      )
      const eth = yield* told("eth_getTransactionByHash", `0x${txID}`)
      assert.deepStrictEqual([at(eth, "input"), at(eth, "value"), at(eth, "from"), at(eth, "to"), at(eth, "nonce")], [
        "0x",
        "0x2dc6c0",
        one.key.evm.toLowerCase(),
        payee.evm.toLowerCase(),
        "0x0000000000000000"
      ])
      assert.notInclude(JSON.stringify(eth), ID.slice(2))
      const receipt = yield* told("eth_getTransactionReceipt", `0x${txID}`)
      assert.deepStrictEqual([at(receipt, "status"), at(receipt, "blockHash"), at(receipt, "logs")], [
        "0x1",
        at(eth, "blockHash"),
        []
      ])
      assert.strictEqual((yield* balance(payee.evm)) - held, 3n * TRX)
      assert.strictEqual(
        BigInt(yield* Effect.promise(() => one.client.trx.getUnconfirmedBalance(payee.address))),
        held + 3n * TRX
      )
    }))

  it.effect("shows on its solidified side the state of nineteen blocks ago: transactions, accounts and contract state", () =>
    Effect.gen(function*() {
      const { mine, one, solidify, usdc } = yield* Running
      const newcomer = keyOfName("causeway.test.tron.newcomer")
      const txID = yield* done(() => payNative(one, newcomer.address, TRX, ID))
      yield* done(() => transferUsdc(one, 5n, "0x", newcomer.evm))
      const usdcOf = (confirmed: boolean) =>
        Effect.promise(() =>
          one.client.transactionBuilder.triggerConstantContract(
            usdc,
            "balanceOf(address)",
            { confirmed, _isConstant: true },
            [{ type: "address", value: newcomer.address }],
            one.key.address
          )
        )
      yield* mine(17)
      assert.deepStrictEqual([
        yield* ask("walletsolidity/gettransactioninfobyid", { value: txID }),
        yield* ask("walletsolidity/getaccount", { address: newcomer.address, visible: true })
      ], [{}, {}])
      yield* mine()
      assert.strictEqual(at(yield* ask("walletsolidity/gettransactioninfobyid", { value: txID }), "id"), txID)
      assert.strictEqual(
        at(yield* ask("walletsolidity/getaccount", { address: newcomer.address, visible: true }), "balance"),
        Number(TRX)
      )
      assert.deepStrictEqual([
        at(yield* usdcOf(true), "constant_result", 0),
        at(yield* usdcOf(false), "constant_result", 0)
      ], ["0".repeat(64), "5".padStart(64, "0")])
      yield* solidify
      assert.strictEqual(at(yield* usdcOf(true), "constant_result", 0), "5".padStart(64, "0"))
      const [solid, latest] = [yield* ask("walletsolidity/getnowblock"), yield* ask("wallet/getnowblock")]
      assert.strictEqual(
        Number(at(latest, "block_header", "raw_data", "number")) -
          Number(at(solid, "block_header", "raw_data", "number")),
        19
      )
      assert.strictEqual(
        at(yield* told("eth_getBlockByNumber", "finalized", false), "hash"),
        `0x${String(at(solid, "blockID"))}`
      )
    }))

  it.effect("executes deposits of every kind in the order in which they came, with logs numbered through the block", () =>
    Effect.gen(function*() {
      const { depository, mine, one, other, usdc } = yield* Running
      const held = yield* balance(addressOf("Depository"))
      const usdcHeld = yield* told("eth_call", {
        to: addressOf("TestUSDC"),
        data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [addressOf("Depository")] })
      }, "latest")
      const sent = yield* Effect.promise(async () => [
        await depositNative(one, ID, 5n * TRX),
        await approve(one, 7n),
        await depositErc20(one, ID, 7n),
        await transferUsdc(one, 9n, ID),
        await allowUsdc(one, other.key.evm, 11n),
        await transferUsdcFrom(other, one.key.evm, 11n, ID)
      ])
      yield* mine()
      const infos = yield* Effect.forEach(sent, info)
      assert.deepStrictEqual(infos.map((each) => at(each, "receipt", "result")), sent.map(() => "SUCCESS"))
      assert.strictEqual((yield* balance(depository)) - held, 5n * TRX)
      const usdcNow = yield* told("eth_call", {
        to: addressOf("TestUSDC"),
        data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [addressOf("Depository")] })
      }, "latest")
      assert.strictEqual(BigInt(String(usdcNow)) - BigInt(String(usdcHeld)), 27n)
      const block = `0x${Number(at(infos[0], "blockNumber")).toString(16)}`
      const logs = Schema.decodeUnknownSync(
        Schema.Array(Schema.Struct({ address: Schema.String, logIndex: Schema.String, transactionHash: Schema.String }))
      )(yield* told("eth_getLogs", { fromBlock: block, toBlock: block }))
      assert.deepStrictEqual(logs.map(({ logIndex }) => Number(logIndex)), logs.map((_, index) => index))
      assert.deepStrictEqual([...new Set(logs.map(({ transactionHash }) => transactionHash.slice(2)))], sent)
      const fromDepository = yield* told("eth_getLogs", { fromBlock: block, toBlock: block, address: depository })
      assert.deepStrictEqual(
        fromDepository,
        yield* told("eth_getLogs", { fromBlock: block, toBlock: block, address: [addressOf("Depository")] })
      )
      assert.lengthOf(Schema.decodeUnknownSync(Schema.Array(Schema.Unknown))(fromDepository), 2)
      const transfer = yield* told("eth_getTransactionByHash", `0x${sent[3] ?? ""}`)
      assert.isTrue(
        String(at(transfer, "input")).startsWith("0xa9059cbb") && String(at(transfer, "input")).endsWith(ID.slice(2))
      )
      assert.strictEqual(at(transfer, "to"), addressOf("TestUSDC").toLowerCase())
      assert.strictEqual(yield* constant(one, usdc, "balanceOf(address)", depository), BigInt(String(usdcNow)))
    }))

  it.effect("reports a revert, and keeps none of its effects", () =>
    Effect.gen(function*() {
      const { depository, one } = yield* Running
      const held = yield* balance(depository)
      const tooMuch = encodeFunctionData({
        abi: depositoryAbi,
        functionName: "depositErc20",
        args: [one.key.evm, addressOf("TestUSDC"), 10n ** 30n, ID]
      })
      const txID = yield* done(() => one.trigger(depository, tooMuch))
      const seen = yield* info(txID)
      assert.deepStrictEqual([at(seen, "result"), at(seen, "receipt", "result"), at(seen, "log")], [
        "FAILED",
        "REVERT",
        undefined
      ])
      assert.strictEqual(
        at(yield* ask("wallet/gettransactionbyid", { value: txID }), "ret", 0, "contractRet"),
        "REVERT"
      )
      assert.strictEqual(at(yield* told("eth_getTransactionReceipt", `0x${txID}`), "status"), "0x0")
      assert.strictEqual(yield* balance(depository), held)
      const constant = yield* ask("wallet/triggerconstantcontract", {
        owner_address: one.key.address,
        contract_address: depository,
        data: tooMuch.slice(2),
        visible: true
      })
      assert.deepStrictEqual([
        Buffer.from(String(at(constant, "result", "message")), "hex").toString(),
        at(constant, "transaction", "ret", 0, "ret")
      ], ["REVERT opcode executed", "FAILED"])
      assert.isAtLeast(String(at(constant, "constant_result", 0)).length, 8)
      assert.strictEqual(
        yield* errorOf("eth_call", { from: one.key.evm, to: addressOf("Depository"), data: tooMuch }, "latest"),
        "REVERT opcode executed"
      )
    }))

  it.effect("creates contracts at the addresses that tronweb computes, and none whose constructor reverts", () =>
    Effect.gen(function*() {
      const { one } = yield* Running
      const txID = yield* done(() => one.create("Coin", usdcAbi, usdcCode))
      const created = String(at(yield* info(txID), "contract_address"))
      assert.match(created, /^41[0-9a-f]{40}$/u)
      assert.strictEqual(
        at(yield* Effect.promise((): Promise<unknown> => one.client.trx.getContract(created)), "name"),
        "Coin"
      )
      assert.strictEqual(yield* constant(one, created, "decimals()"), 6n)
      assert.strictEqual(
        at(yield* told("eth_getTransactionReceipt", `0x${txID}`), "contractAddress"),
        `0x${created.slice(2)}`
      )
      // Zero is not a valid owner.
      const refused = yield* done(() => one.create("Nothing", depositoryAbi, depositoryCode, "0".repeat(128)))
      const seen = yield* info(refused)
      assert.strictEqual(at(seen, "receipt", "result"), "REVERT")
      assert.deepStrictEqual(yield* ask("wallet/getcontract", { value: at(seen, "contract_address") }), {})
    }))

  it.effect("refuses what a Tron node refuses, in its words, and executes none of it", () =>
    Effect.gen(function*() {
      const { depository, mine, one, other, url } = yield* Running
      const held = yield* balance(payee.evm)
      const { signed } = yield* signedTransfer(one, payee.address, 7)
      const theirs = yield* signedTransfer(other, payee.address, 7)
      const signature = at(signed, "signature", 0)
      assert.deepStrictEqual((yield* refusal({ ...theirs.built, signature: [signature] }))[0], "SIGERROR")
      assert.include((yield* refusal({ ...theirs.built, signature: [signature] }))[1], "is signed by")
      assert.deepStrictEqual(yield* refusal({ ...theirs.built }), [
        "SIGERROR",
        "Validate signature error: miss sig or contract"
      ])
      assert.strictEqual(
        (yield* refusal({ ...theirs.built, signature: [`${String(signature).slice(0, 128)}ff`] }))[0],
        "SIGERROR"
      )
      // The amount was changed: it matches neither the signed bytes nor the ones of the new amount.
      const [contract] = theirs.built.raw_data.contract
      assert.isDefined(contract)
      const dearer = {
        ...theirs.built.raw_data,
        contract: [{
          ...contract,
          parameter: { ...contract.parameter, value: { ...contract.parameter.value, amount: 8 } }
        }]
      }
      const bent = { raw_data: dearer, signature: at(theirs.signed, "signature"), visible: false }
      assert.strictEqual((yield* refusal(bent))[0], "SIGERROR")
      assert.strictEqual((yield* refusal({ ...theirs.built, ...bent }))[0], "OTHER_ERROR")
      assert.strictEqual((yield* refusal({ ...theirs.signed, txID: "00".repeat(32) }))[0], "OTHER_ERROR")
      assert.strictEqual((yield* refusal({ nothing: true }))[0], "OTHER_ERROR")
      const rebuilt = (change: Partial<typeof theirs.built.raw_data>) =>
        Effect.promise(async () => {
          const again = await one.client.transactionBuilder.newTxID({
            ...theirs.built,
            raw_data: { ...theirs.built.raw_data, ...change }
          }, { txLocal: true })
          return other.client.trx.sign(again)
        })
      assert.deepStrictEqual(yield* refusal(yield* rebuilt({ ref_block_hash: "00".repeat(8) })), [
        "TAPOS_ERROR",
        "Tapos check error."
      ])
      assert.deepStrictEqual(yield* refusal(yield* rebuilt({ expiration: theirs.built.raw_data.timestamp })), [
        "TRANSACTION_EXPIRATION_ERROR",
        "Transaction expired"
      ])
      assert.strictEqual(
        (yield* refusal(yield* rebuilt({ expiration: theirs.built.raw_data.timestamp + 2 * 86_400_000 })))[0],
        "TRANSACTION_EXPIRATION_ERROR"
      )
      assert.include(yield* failureOf(() => one.transfer(payee.address, 10n ** 15n)), "balance is not sufficient")
      assert.include(yield* failureOf(() => one.transfer(depository, 1n)), "Cannot transfer TRX to a smartContract")
      assert.include(
        yield* failureOf(() => one.trigger(payee.address, "0x")),
        "No contract or not a valid smart contract"
      )
      assert.include(
        yield* failureOf(() => depositNative(one, ID, 10n ** 15n)),
        "Validate InternalTransfer error, balance is not sufficient."
      )
      yield* mine()
      assert.strictEqual(yield* balance(payee.evm), held)
      assert.strictEqual(at(yield* ask("wallet/broadcasttransaction", theirs.signed), "result"), true)
      assert.strictEqual((yield* refusal(theirs.signed))[0], "DUP_TRANSACTION_ERROR")
      yield* mine()
      assert.deepStrictEqual(yield* refusal(theirs.signed), ["DUP_TRANSACTION_ERROR", "Dup transaction."])
      assert.strictEqual((yield* balance(payee.evm)) - held, 7n)
      // A transaction that was accepted with enough money, and is left out when the money is gone. The one after it is
      // not left out.
      const poor = yield* Effect.promise(() => Wallet.open(url, keyOfName("causeway.test.tron.poor")))
      const { built } = yield* signedTransfer(one, poor.key.address, 6)
      const fee = BigInt(bandwidthOf(built) * prices.bandwidth)
      yield* done(() => one.transfer(poor.key.address, 10n + 2n * fee))
      const thrice = yield* Effect.promise(
        async () => [
          await poor.transfer(payee.address, 6n),
          await poor.transfer(other.key.address, 7n),
          await poor.transfer(payee.address, 1n)
        ]
      )
      yield* mine()
      assert.deepStrictEqual((yield* Effect.forEach(thrice, info)).map((each) => at(each, "id")), [
        thrice[0],
        undefined,
        thrice[2]
      ])
      yield* done(() => one.transfer(poor.key.address, 10n))
      yield* done(() => one.transfer(poor.key.address, 10n))
      assert.strictEqual(yield* balance(poor.key.evm), 23n)
    }))

  it.effect("burns its price list: bandwidth, memos, new accounts, and energy up to the fee limit", () =>
    Effect.gen(function*() {
      const { one, url, usdc } = yield* Running
      const known = Object.fromEntries(
        Schema.decodeUnknownSync(Parameters)(yield* ask("wallet/getchainparameters")).chainParameter.map((
          { key, value }
        ) => [key, value])
      )
      assert.deepStrictEqual([known.getEnergyFee, known.getTransactionFee, known.getMemoFee], [100, 1_000, 1_000_000])
      /** What the transaction took from the wallet, and what its receipt says. */
      const burnt = Effect.fnUntraced(function*(send: () => Promise<string>, value = 0n, wallet: Wallet = one) {
        const held = yield* balance(wallet.key.evm)
        const seen = yield* info(yield* done(send))
        const bytes = bandwidthOf({
          raw_data_hex: String(at(yield* ask("wallet/gettransactionbyid", { value: at(seen, "id") }), "raw_data_hex"))
        })
        const fee = held - (yield* balance(wallet.key.evm)) - value
        assert.strictEqual(BigInt(Number(at(seen, "fee"))), fee)
        return { fee, bandwidth: BigInt(bytes) * 1_000n, seen }
      })
      const plain = yield* burnt(() => one.transfer(payee.address, 3n * TRX), 3n * TRX)
      assert.strictEqual(plain.fee, plain.bandwidth)
      // The bytes that the public chain counts for a plain transfer.
      assert.strictEqual(plain.bandwidth, 268_000n)
      const named = yield* burnt(() => payNative(one, payee.address, TRX, ID), TRX)
      assert.strictEqual(named.fee, named.bandwidth + TRX)
      const newcomer = keyOfName("causeway.test.tron.fees")
      const created = yield* burnt(() => one.transfer(newcomer.address, TRX), TRX)
      assert.strictEqual(created.fee, 1_100_000n)
      const called = yield* burnt(() => transferUsdc(one, 5n))
      const energy = Number(at(called.seen, "receipt", "energy_usage_total"))
      assert.strictEqual(called.fee, called.bandwidth + BigInt(energy * 100))
      assert.strictEqual(at(called.seen, "receipt", "energy_fee"), energy * 100)
      // An account that cannot pay for the energy: its call fails, and costs what it had for that.
      const poor = yield* Effect.promise(() => Wallet.open(url, newcomer))
      yield* done(() => transferUsdc(one, 5n, "0x", newcomer.evm))
      const tooDear = yield* burnt(() => transferUsdc(poor, 5n), 0n, poor)
      assert.strictEqual(at(tooDear.seen, "receipt", "result"), "OUT_OF_ENERGY")
      assert.isBelow(Number(yield* balance(newcomer.evm)), 100)
      assert.strictEqual(yield* constant(one, usdc, "balanceOf(address)", newcomer.address), 5n)
      const { signed } = yield* signedTransfer(poor, payee.address, 1)
      assert.strictEqual((yield* refusal(signed))[0], "BANDWITH_ERROR")
    }))

  it.effect("a transaction that waits too long enters no block", () =>
    Effect.gen(function*() {
      const { chain, mine, one, setTime } = yield* Running
      const txID = yield* Effect.promise(() => one.transfer(payee.address, 1n))
      yield* setTime(chain.ledger.tip.timestamp / 1000 + 3_600)
      yield* mine()
      assert.deepStrictEqual(yield* info(txID), {})
      assert.isFalse(chain.isWaiting(txID))
    }))

  it.effect("executes a withdrawal that the allocator has signed, once", () =>
    Effect.gen(function*() {
      const { chainId, one } = yield* Running
      const held = yield* balance(payee.evm)
      yield* done(() => depositNative(one, ID, TRX))
      const withdrawal: Withdrawal = {
        calls: [{ to: payee.evm, data: "0x", value: TRX, allowFailure: false }],
        nonce: 1n,
        expiration: 4_000_000_000n
      }
      const signature = yield* Effect.promise(() => signWithdrawal(Tron.allocator, chainId, withdrawal))
      const forged = yield* Effect.promise(() => signWithdrawal(Tron.solver, chainId, withdrawal))
      const results = yield* Effect.forEach([forged, signature, signature], (each) =>
        Effect.flatMap(done(() => executeWithdrawal(one, withdrawal, each)), info))
      assert.deepStrictEqual(
        results.map((each) =>
          at(each, "receipt", "result")
        ),
        ["REVERT", "SUCCESS", "REVERT"]
      )
      assert.strictEqual((yield* balance(payee.evm)) - held, TRX)
    }))

  it.effect("reads state at the latest block only, and says what it does not know", () =>
    Effect.gen(function*() {
      const call = { to: addressOf("TestUSDC"), data: "0x313ce567" }
      assert.strictEqual(Number(yield* told("eth_call", call, "latest")), 6)
      assert.strictEqual(yield* errorOf("eth_call", call, "0x1"), "QUANTITY not supported, just support TAG as latest")
      assert.include(String(yield* errorOf("eth_call", call, "finalized")), "not supported")
      assert.strictEqual(
        yield* errorOf("eth_getBalance", payee.evm, "0x1"),
        "QUANTITY not supported, just support TAG as latest"
      )
      assert.strictEqual(yield* errorOf("eth_getBlockByNumber", "pending", false), "TAG pending not supported")
      assert.isNull(yield* told("eth_getTransactionReceipt", ID))
      assert.deepStrictEqual(yield* ask("wallet/gettransactioninfobyid", { value: ID }), {})
      assert.strictEqual(at(yield* rpc("eth_sendRawTransaction", "0x"), "error", "code"), -32_601)
      assert.strictEqual(at(yield* rpc("eth_getTransactionByHash", "0x12"), "error", "message"), "invalid hash value")
      assert.strictEqual(
        at(yield* rpc("eth_getLogs", { fromBlock: "earliest", toBlock: "0x7fffffff" }), "error"),
        undefined
      )
    }))

  it.effect("drops blocks for a longer branch: other ids, older state, and transactions that are dropped or wait again", () =>
    Effect.gen(function*() {
      const { chain, mine, one, reorg } = yield* Running
      yield* mine()
      const held = yield* balance(payee.evm)
      const base = chain.ledger.tip
      const { signed } = yield* signedTransfer(one, payee.address, 5)
      yield* mine()
      yield* ask("wallet/broadcasttransaction", signed)
      yield* mine()
      const txID = String(at(signed, "txID"))
      const place = chain.ledger.placeOf(txID)
      assert.strictEqual((yield* balance(payee.evm)) - held, 5n)
      yield* reorg(2)
      assert.strictEqual(chain.ledger.tip.number, base.number + 3)
      assert.deepStrictEqual([yield* info(txID), yield* told("eth_getTransactionByHash", `0x${txID}`)], [{}, null])
      assert.isNull(yield* told("eth_getBlockByHash", `0x${place?.block.id ?? ""}`, false))
      assert.notStrictEqual(
        at(yield* told("eth_getBlockByNumber", `0x${(base.number + 2).toString(16)}`, false), "hash"),
        `0x${place?.block.id ?? ""}`
      )
      assert.strictEqual(
        at(yield* told("eth_getBlockByNumber", `0x${base.number.toString(16)}`, false), "hash"),
        `0x${base.id}`
      )
      assert.strictEqual(yield* balance(payee.evm), held)
      yield* mine()
      assert.deepStrictEqual(yield* info(txID), {})
      assert.strictEqual(at(yield* ask("wallet/broadcasttransaction", signed), "result"), true)
      yield* mine()
      yield* reorg(1, "waiting")
      assert.deepStrictEqual(yield* info(txID), {})
      yield* mine()
      assert.strictEqual(at(yield* info(txID), "blockNumber"), chain.ledger.tip.number)
      assert.strictEqual((yield* balance(payee.evm)) - held, 5n)
      // A transaction that refers to a replaced block belongs to the other branch.
      yield* mine()
      const orphan = yield* Effect.promise(() => one.transfer(payee.address, 6n))
      yield* reorg(1, "waiting")
      yield* mine()
      assert.deepStrictEqual(yield* info(orphan), {})
    }))

  it.effect("misbehaves as told, in one of its interfaces or in all, and recovers", () =>
    Effect.gen(function*() {
      const { setFault, url } = yield* Running
      const status = (path: string) => Effect.promise(() => fetch(`${url}/${path}`).then(({ status }) => status))
      yield* setFault({ kind: "status", status: 503, methods: ["/walletsolidity"] })
      assert.deepStrictEqual([yield* status("walletsolidity/getnowblock"), yield* status("wallet/getnowblock")], [
        503,
        200
      ])
      yield* setFault({ kind: "error", code: -32_000, message: "busy", methods: ["eth_blockNumber"] })
      assert.deepStrictEqual([yield* errorOf("eth_blockNumber"), yield* errorOf("eth_chainId")], ["busy", undefined])
      yield* setFault({ kind: "lie", methods: ["eth_chainId"], tell: () => "0x1" })
      assert.strictEqual(yield* told("eth_chainId"), "0x1")
      yield* setFault({ kind: "hang" })
      const silent = yield* Effect.promise(() =>
        fetch(`${url}/wallet/getnowblock`, { signal: AbortSignal.timeout(200) }).then(() => false, () => true)
      )
      yield* setFault({ kind: "delay", milliseconds: 1 })
      assert.deepStrictEqual([silent, yield* status("wallet/getnowblock")], [true, 200])
      yield* setFault(undefined)
      assert.strictEqual(yield* status("wallet/getnowblock"), 200)
    }))
})

test.live("is the same chain after a restart, including created contracts and waiting transactions", () =>
  Effect.gen(function*() {
    const folder = mkdtempSync(join(tmpdir(), "causeway-tron-"))
    const stateFile = join(folder, "tron.json")
    const before = yield* Effect.scoped(Effect.gen(function*() {
      const tron = yield* Tron.start({ stateFile })
      const one = yield* tron.wallet("somebody")
      const coin = yield* Effect.promise(() => one.create("Coin", usdcAbi, usdcCode))
      yield* tron.mine(3)
      yield* Effect.promise(() => depositNative(one, ID, TRX))
      yield* tron.mine()
      yield* tron.reorg(1, "waiting")
      yield* tron.mine(300)
      const waits = yield* Effect.promise(() => one.transfer(payee.address, 1n))
      return { tip: tron.chain.ledger.tip, coin, waits }
    }))
    yield* Effect.scoped(Effect.gen(function*() {
      const { chain } = yield* Tron.start({ stateFile })
      assert.deepStrictEqual([chain.ledger.tip, chain.isWaiting(before.waits)], [before.tip, true])
      assert.strictEqual(
        yield* Effect.promise(() => chain.evm.balance(addressOf("Depository"), before.tip.evmHeight)),
        TRX
      )
      const created = chain.ledger.placeOf(before.coin)?.executed.created ?? "41"
      assert.isAbove(
        (yield* Effect.promise(() => chain.evm.code(`0x${created.slice(2)}`, before.tip.evmHeight))).length,
        1_000
      )
    }))
    rmSync(folder, { recursive: true })
  }))

test.live("in its own process it makes blocks by the clock, and refuses a damaged file and a taken port", () =>
  Effect.gen(function*() {
    const folder = mkdtempSync(join(tmpdir(), "causeway-tron-"))
    const stateFile = join(folder, "tron.json")
    const parties = { faucet: Tron.faucet.evm, solver: Tron.solver.evm, allocator: Tron.allocator.evm, accounts: [] }
    const port = yield* anyFree
    yield* Effect.scoped(Effect.gen(function*() {
      const { jsonRpcUrl, url } = yield* TronProcess.start({ port, stateFile, parties })
      const taken = yield* Effect.flip(
        Effect.scoped(TronProcess.start({ port, stateFile: `${stateFile}.other`, parties }))
      )
      assert.strictEqual(taken.kind, "port-taken")
      const height = Effect.map(
        post(jsonRpcUrl, { id: 1, method: "eth_blockNumber", params: [] }),
        (answer) => Number(at(answer, "result"))
      )
      const wallet = yield* Effect.promise(() => Wallet.open(url, Tron.faucet))
      const txID = yield* Effect.promise(() => wallet.transfer(payee.address, 1n))
      yield* Effect.repeat(Effect.delay(post(`${url}/wallet/gettransactioninfobyid`, { value: txID }), 100), {
        until: (seen) => at(seen, "id") === txID
      })
      assert.isAtLeast(yield* height, 2)
      const now = yield* post(`${url}/wallet/getnowblock`, {})
      assert.isBelow(Math.abs(Date.now() - Number(at(now, "block_header", "raw_data", "timestamp"))), 3_600_000)
    }))
    writeFileSync(stateFile, "{")
    const damaged = yield* Effect.flip(Effect.scoped(TronProcess.start({ port, stateFile, parties })))
    assert.strictEqual(damaged.kind, "not-started")
    rmSync(folder, { recursive: true })
  }))
