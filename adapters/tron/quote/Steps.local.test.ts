/** The port `StepBuilder` on a local Tron chain: its contract, the exact steps, their costs, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { encodeFunctionData, erc20Abi, parseAbi } from "viem"
import { addressOf } from "../../../hosts/localnet/nodes/ethereum/Addresses.ts"
import { usdt as usdtAddress } from "../../../hosts/localnet/nodes/tron/Deposits.ts"
import { nodeAddress } from "../../../hosts/localnet/nodes/tron/node/Account.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/tron/node/LocalKey.ts"
import { Wallet } from "../../../hosts/localnet/nodes/tron/node/Wallet.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, DepositWay } from "../../../ports/chain/StepBuilder.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { stepBuilderContract } from "../../../property-tests/family/Quoting.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { layer as layerPrices } from "../cost/TronPrices.ts"
import { layer as layerRpc, TronEndpoints } from "../rpc/TronRpc.ts"
import { account, fixtureOf, startDepositingTron } from "../testing/DepositingTron.ts"
import type { DepositingTron } from "../testing/DepositingTron.ts"
import { layer as layerPayments } from "../watch/DirectPayments.ts"
import { layer as layerWatcher } from "../watch/Watcher.ts"
import { layer as layerSteps } from "./Steps.ts"

const portsOf = ({ chain, nodes }: DepositingTron) =>
  Layer.mergeAll(layerWatcher, layerPayments, layerSteps).pipe(
    Layer.provide(layerPrices),
    Layer.provide(layerRpc),
    Layer.provide(Layer.succeed(TronEndpoints, { urls: new Map([[chain.id, nodes.map(({ url }) => url)]]) }))
  )

type Ports = StepBuilder | DepositWatcher | DirectPaymentWatcher

const onChain = (body: (local: DepositingTron) => Effect.Effect<void, unknown, Ports>) => () =>
  Effect.scoped(Effect.flatMap(startDepositingTron(1), (local) => Effect.provide(body(local), portsOf(local))))

describe("StepBuilder of a Tron chain", () => {
  for (const { check, name } of stepBuilderContract) {
    it.live(
      name,
      onChain((local) => Effect.provideService(check, FamilyFixture, fixtureOf(local)))
    )
  }
})

const TRX = 1_000_000n
const order = OrderId.make(`0x${"ab".repeat(32)}`)
const named = { orderId: order, requestId: RequestId.make(`0x${"0a".repeat(32)}`), checkEndpoint: "/check" }
const depositoryAbi = parseAbi(["function depositNative(address depositor, bytes32 id) payable"])
const mintAbi = parseAbi(["function mint(address to, uint256 amount)"])

const intentOf = (
  { chain, wallet }: DepositingTron,
  currency: Currency,
  amount: bigint,
  way: DepositWay = { _tag: "Depository" },
  user = wallet.key.address
): DepositIntent => ({ origin: chain, currency, amount, user: account(user), way })

const prepared = Effect.fnUntraced(function*(intent: DepositIntent) {
  const { gas, steps, userBalance } = yield* (yield* StepBuilder).prepare(intent)
  return { gas, userBalance, steps: steps(named) }
})

/** What `approve` takes, of the steps' data. */
const approval = (amount: bigint, spender = addressOf("Depository")) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] }).slice(2)

describe("the steps of a deposit on a Tron chain", () => {
  it.live(
    "of TRX: one call of depositNative, with hex accounts, data without 0x and a number of sun",
    onChain((world) =>
      Effect.gen(function*() {
        const { native, wallet } = world
        const { steps } = yield* prepared(intentOf(world, native, 5n * TRX))
        assert.deepStrictEqual<unknown>(steps, [{
          id: "deposit",
          action: "Confirm transaction in your wallet",
          description: "Deposit TRX on tron",
          kind: "transaction",
          requestId: named.requestId,
          items: [{
            status: "incomplete",
            data: {
              type: "TriggerSmartContract",
              parameter: {
                owner_address: nodeAddress(wallet.key.evm),
                contract_address: nodeAddress(addressOf("Depository")),
                data: encodeFunctionData({
                  abi: depositoryAbi,
                  functionName: "depositNative",
                  args: [wallet.key.evm, order]
                }).slice(2),
                call_value: 5_000_000
              }
            },
            check: { endpoint: "/check", method: "GET" }
          }]
        }])
      })
    )
  )

  it.live(
    "by a deposit address are one plain transfer to it, which costs no more than was said, also a user without money",
    onChain((world) =>
      Effect.gen(function*() {
        const { balance, carryOut, chain, currency, local, native } = world
        const usdt = currency(usdtAddress, "USDT")
        const tokens = { ...world, chain: { ...chain, currencies: [...chain.currencies, usdt] } }
        const own = account(world.wallet.key.address)
        for (const [nth, paid] of [native, usdt].entries()) {
          const depositAddress = account(keyOfName(`causeway.contracts.tron.address ${nth}`).address)
          const way = { _tag: "Address", factory: undefined, depositor: own, address: undefined } as const
          const intent = intentOf(tokens, paid, 5n * TRX, way)
          const { gas, steps, userBalance } = yield* (yield* StepBuilder).prepare(intent)
          const before = { paid: yield* balance(own, paid), native: yield* balance(own, native) }
          assert.strictEqual(userBalance, before.paid)
          const [step, ...others] = steps({ ...named, depositAddress })
          assert.lengthOf(others, 0)
          assert.deepInclude(step, { id: "deposit", depositAddress })
          const items = step?.kind === "transaction" ? step.items : []
          assert.notInclude(JSON.stringify(items), order.slice(2))
          yield* carryOut(items[0]?.data)
          yield* local.mine()
          assert.strictEqual(yield* balance(depositAddress, paid), 5n * TRX)
          const cost = before.native - (yield* balance(own, native)) - (paid.isNative ? 5n * TRX : 0n)
          assert.isTrue(cost > 0n && cost <= gas, `${cost} of ${gas}`)
          const poor = keyOfName("causeway.contracts.tron.poor").address
          const asked = yield* (yield* StepBuilder).prepare(intentOf(tokens, paid, 5n * TRX, way, poor))
          assert.strictEqual(asked.userBalance, 0n)
          assert.isTrue(asked.gas >= cost)
        }
      })
    )
  )

  it.live(
    "of USDT, whose transfer returns false: exact approvals, after a reset where an allowance is left, and none where it suffices",
    onChain((world) =>
      Effect.gen(function*() {
        const { balance, carryOut, chain, currency, local, wallet } = world
        const usdt = currency(usdtAddress, "USDT")
        const watcher = yield* DepositWatcher
        const approvalsOf = (amount: bigint) =>
          Effect.map(prepared(intentOf(world, usdt, amount)), ({ steps }) =>
            steps.filter(({ id }) =>
              id === "approve"
            ).flatMap((step) =>
              step.items.map(({ data }) => "parameter" in data && "data" in data.parameter ? data.parameter.data : "")
            ))
        assert.deepStrictEqual(yield* approvalsOf(9_000n), [approval(9_000n)])
        yield* Effect.promise(() => wallet.trigger(usdtAddress, `0x${approval(5_000n)}`))
        yield* local.mine()
        assert.deepStrictEqual(yield* approvalsOf(5_000n), [])
        const { gas, steps, userBalance } = yield* prepared(intentOf(world, usdt, 9_000n))
        assert.deepStrictEqual(yield* approvalsOf(9_000n), [approval(0n), approval(9_000n)])
        const before = { sun: yield* balance(account(wallet.key.address), chain.native), usdt: userBalance }
        const asked = steps.flatMap((step): ReadonlyArray<unknown> => step.items.map(({ data }) => data))
        const ids = yield* Effect.forEach(asked, (data) => carryOut(data))
        yield* local.mine()
        const [deposit] = (yield* watcher.look(chain, ids.at(-1) ?? assert.fail("nothing sent"))) ?? []
        assert.deepStrictEqual<unknown>([deposit?.depositId, deposit?.amount], [order, 9_000n])
        assert.strictEqual(yield* balance(account(wallet.key.address), usdt), before.usdt - 9_000n)
        const cost = before.sun - (yield* balance(account(wallet.key.address), chain.native))
        assert.isTrue(cost <= gas && cost * 3n > gas, `${cost} of ${gas}`)
      })
    )
  )

  it.live(
    "cost an account without money what is usual, and one with money what a trial says and a fifth",
    onChain((world) =>
      Effect.gen(function*() {
        const { chain, local, native, usdc, wallet } = world
        const nobody = keyOfName("causeway.test.tron.nobody").address
        const poor = yield* prepared(intentOf(world, native, TRX, { _tag: "Depository" }, nobody))
        assert.strictEqual(poor.userBalance, 0n)
        // Energy 20,000 at 100 sun, and the bytes of the call.
        assert.isTrue(poor.gas > 2_000_000n && poor.gas < 2_500_000n, `${poor.gas}`)
        const rich = yield* prepared(intentOf(world, native, TRX))
        assert.isBelow(Number(rich.gas), Number(poor.gas))
        const unable = yield* prepared(intentOf(world, usdc, 10n ** 20n))
        assert.isAbove(Number(unable.gas), 20_000_000)
        assert.strictEqual(unable.userBalance, yield* world.balance(account(wallet.key.address), usdc))
        assert.strictEqual(chain.depository, local.depository)
      })
    )
  )

  it.live(
    "are refused by name: TRX beyond an exact number, a call that would revert, a way that Tron does not have",
    onChain((world) =>
      Effect.gen(function*() {
        const { native, setFault, usdc, wallet } = world
        const { prepare } = yield* StepBuilder
        const tooMuch = yield* Effect.flip(prepare(intentOf(world, native, 2n ** 53n)))
        assert.deepStrictEqual<unknown>(
          tooMuch._tag === "DepositUnfit" ? tooMuch.reason : tooMuch,
          { _tag: "AmountNotExact", most: 2n ** 53n - 1n }
        )
        yield* prepare(intentOf(world, native, 2n ** 53n - 1n))
        // The token refuses the account: its transfer reverts, whatever is approved.
        yield* setFault({
          kind: "lie",
          methods: ["/wallet/triggerconstantcontract"],
          tell: (told, _, asked) =>
            JSON.stringify(asked).includes("a9059cbb")
              ? { result: { result: true, message: "52" }, constant_result: [""], energy_used: 7 }
              : told
        })
        const refused = yield* Effect.flip(prepare(intentOf(world, usdc, 1_000n)))
        assert.strictEqual(refused._tag, "DepositRefused")
        if (refused._tag === "DepositRefused") {
          assert.strictEqual(refused.call.from, nodeAddress(wallet.key.evm))
          assert.strictEqual(refused.call.to, nodeAddress(addressOf("TestUSDC")))
        }
      })
    )
  )
})

describe("a send on a Tron chain", () => {
  it.live(
    "of TRX names the order by a memo, and its quote has the memo's fee and a new account's",
    onChain((world) =>
      Effect.gen(function*() {
        const { balance, carryOut, chain, local, native, wallet } = world
        const payments = yield* DirectPaymentWatcher
        const recipient = keyOfName("causeway.test.tron.payee").address
        const way = { _tag: "Send" as const, recipient: account(recipient) }
        for (const isNew of [true, false]) {
          const { gas, steps: [step] } = yield* prepared(intentOf(world, native, 3n * TRX, way))
          assert.strictEqual(step?.id, "send")
          assert.deepStrictEqual<unknown>(step?.items[0]?.data, {
            type: "TransferContract",
            parameter: {
              owner_address: nodeAddress(wallet.key.evm),
              to_address: nodeAddress(keyOfName("causeway.test.tron.payee").evm),
              amount: 3_000_000
            },
            memo: order
          })
          const before = yield* balance(account(wallet.key.address), native)
          const id = yield* carryOut(step?.items[0]?.data)
          yield* local.mine()
          const cost = before - (yield* balance(account(wallet.key.address), native)) - 3n * TRX
          // A memo of 32 bytes instead of the text.
          assert.isTrue(gas - cost === (isNew ? 0n : 34_000n), `${cost} of ${gas}`)
          assert.isTrue(isNew ? cost === 2_100_000n : cost < 1_500_000n)
          const found = yield* payments.look(chain, id)
          assert.strictEqual(found?.payment.orderId, order)
        }
        const toContract = { _tag: "Send" as const, recipient: chain.depository }
        const refused = yield* Effect.flip((yield* StepBuilder).prepare(intentOf(world, native, TRX, toContract)))
        assert.strictEqual(
          refused._tag === "DepositUnfit" ? refused.reason._tag : refused._tag,
          "RecipientKeepsNothing"
        )
      })
    )
  )

  it.live(
    "of a token is its transfer with the id behind the arguments, by the way of a public wallet adapter",
    onChain((world) =>
      Effect.gen(function*() {
        const { carryOut, chain, currency, local, wallet } = world
        const payments = yield* DirectPaymentWatcher
        const usdt = currency(usdtAddress, "USDT")
        const recipient = keyOfName("causeway.test.tron.holder")
        const way = { _tag: "Send" as const, recipient: recipient.address }
        const { steps: [step] } = yield* prepared(intentOf(world, usdt, 7_000n, way))
        const id = yield* carryOut(step?.items[0]?.data)
        yield* local.mine()
        const found = yield* payments.look(chain, id)
        assert.deepStrictEqual<unknown>(
          found?.payment.payments.map(({ amount, currency: { length }, recipient: to }) => [amount, length, to]),
          [[7_000n, usdt.address.length, recipient.address]]
        )
        assert.strictEqual(found?.payment.from, account(wallet.key.address))
      })
    )
  )

  it.live(
    "by an account that nobody has opened yet, is priced all the same",
    onChain((world) =>
      Effect.gen(function*() {
        const { local, usdc, wallet } = world
        const newcomer = keyOfName("causeway.test.tron.newcomer")
        yield* Effect.promise(() =>
          wallet.trigger(
            usdc.address,
            encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [newcomer.evm, 5_000n] })
          )
        )
        yield* local.mine()
        const way = { _tag: "Send" as const, recipient: account(wallet.key.address) }
        const { gas, steps, userBalance } = yield* prepared(intentOf(world, usdc, 5_000n, way, newcomer.address))
        assert.strictEqual(userBalance, 5_000n)
        const before = 20n * TRX
        yield* Effect.promise(() => wallet.transfer(newcomer.address, before))
        yield* local.mine()
        const theirs = yield* Effect.promise(() => Wallet.open(local.url, newcomer))
        yield* world.carryOut(steps[0]?.items[0]?.data, theirs)
        yield* local.mine()
        const cost = before - (yield* world.balance(newcomer.address, world.native))
        assert.isTrue(cost <= gas, `${cost} of ${gas}`)
        assert.strictEqual(yield* world.balance(newcomer.address, usdc), 0n)
      })
    )
  )
})
