import { assert, describe, it } from "@effect/vitest"
import type { Address } from "viem"
import { encodeDeployData, encodeFunctionData, erc20Abi, maxUint256, size, slice } from "viem"
import { abi as marketAbi, bytecode as marketCode } from "../artifacts/Market.ts"
import { abi as oddAbi, bytecode as oddCode } from "../artifacts/OddToken.ts"
import { abi as routerAbi, bytecode as routerCode } from "../artifacts/Router.ts"
import { executeData, request, sign } from "../testing/Requests.ts"
import {
  approve,
  assertEmpty,
  implementation,
  play,
  robberies,
  routerFill,
  run,
  setOperator,
  sweep,
  transferFrom,
  wealth
} from "../testing/Robberies.ts"
import type { FillOf } from "../testing/Fixture.ts"
import { event, eventsOf, fillData, GATE, NATIVE, PERMIT2, useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()

const ALICE: Address = "0x00000000000000000000000000000000000000a1"
const BOB: Address = "0x00000000000000000000000000000000000000b0"

const fill = (of: FillOf) => fixture().send(fixture().solver, fixture().vault, fillData(of))
const refused = (of: FillOf) => fixture().refusal(fixture().solver, fixture().vault, fillData(of))
describe("an allowance left behind", () => {
  it("by one user's calls is useless in the next user's fill, before, inside or after it", async () => {
    const s = fixture()
    const market = await s.create(s.thief, marketCode)
    await s.mint(s.usdt, market, 1000n)
    const first = await s.nextExecutor()
    await fill({
      orderId: word(1),
      payments: [[s.router, s.usdc, 1n]],
      calls: [
        ...[s.puppet, s.thief].map((spender) => ({ to: s.usdc, data: approve(spender, maxUint256) })),
        { to: s.usdt, data: approve(s.puppet, maxUint256) },
        { to: s.weth, data: approve(s.puppet, maxUint256) }
      ],
      recipient: s.thief
    })
    const allowance = (owner: Address) =>
      s.client.readContract({ address: s.usdc, abi: erc20Abi, functionName: "allowance", args: [owner, s.puppet] })
    assert.strictEqual(await allowance(first), maxUint256, "the attack is set up")

    const second = await s.nextExecutor()
    assert.notStrictEqual(second, first)
    // Half of the second user's money is swapped. During the swap the thief takes what he can.
    await s.teach(
      [first, second, s.router, s.vault].map((from) => ({ to: s.usdc, data: transferFrom(from, s.thief, 1n) }))
    )
    await s.send(s.thief, market, encodeFunctionData({ abi: marketAbi, functionName: "letIn", args: [s.puppet] }))
    const receipt = await fill({
      orderId: word(2),
      payments: [[s.router, s.usdc, 100n]],
      calls: [
        { to: s.usdc, data: approve(market, 50n) },
        {
          to: market,
          data: encodeFunctionData({ abi: marketAbi, functionName: "swap", args: [s.usdc, 50n, s.usdt, 49n] })
        }
      ],
      leftovers: [s.usdt],
      recipient: ALICE
    })
    assert.deepStrictEqual(await s.played(), { succeeded: 0n, failed: 4n, reason: "ERC20InsufficientAllowance" })
    assert.includeMembers([...eventsOf(receipt)], [
      event("Transfer", second, ALICE, 50n),
      event("Transfer", second, ALICE, 49n)
    ])
    assert.strictEqual(await allowance(second), 0n)
    for (const executor of [first, second]) {
      assert.strictEqual(
        await s.refusal(s.thief, s.usdc, transferFrom(executor, s.thief, 1n)),
        executor === first
          ? "ERC20InsufficientBalance"
          : "ERC20InsufficientAllowance"
      )
    }
  })

  it("no two fills ever share an executor, even if fills between them reverted", async () => {
    const s = fixture()
    const market = await s.create(s.thief, marketCode)
    // A free call that shows the executor's address.
    const swap = encodeFunctionData({ abi: marketAbi, functionName: "swap", args: [s.usdc, 0n, s.usdc, 0n] })
    const seen: Array<string> = []
    for (let i = 0; i < 6; i += 1) {
      const receipt = await fill({ orderId: word(i), calls: [{ to: market, data: swap }], recipient: ALICE })
      const caller = receipt.logs.find((log) => log.address === market)?.data
      assert.isDefined(caller)
      seen.push(slice(caller ?? "0x", 12))
      const failing = fillData({
        orderId: word(100 + i),
        calls: [{ to: s.refuser, data: "0x", value: 1n }],
        recipient: ALICE
      })
      assert.strictEqual((await s.transact(s.solver, { to: s.vault, data: failing })).status, "reverted")
    }
    assert.strictEqual(new Set(seen).size, 6)
  })
})

describe("calls that rob", () => {
  it("named in the order directly: each is refused, or fails and reverts the fill", async () => {
    const { router, nextExecutor } = fixture()
    const before = await wealth(fixture())
    for (const [index, call] of (await robberies(fixture(), await nextExecutor())).entries()) {
      const reason = await refused({ payments: [[router, NATIVE, 10n]], calls: [call], recipient: ALICE })
      assert.match(
        reason,
        /^(TargetRefused|CallFailed:(ERC20InsufficientAllowance|TooLittle|NotAnOperator|OwnableUnauthorizedAccount|NotTheFactory))$/,
        `robbery ${index}`
      )
    }
    assert.deepStrictEqual(await wealth(fixture()), before)
  })

  it("made by a contract that the order calls, that is paid, or that receives the leftover: each fails", async () => {
    const { router, puppet, usdc, teach, played, nextExecutor } = fixture()
    const ways: Record<string, Pick<FillOf, "payments" | "calls" | "recipient">> = {
      "called": {
        payments: [[router, NATIVE, 10n], [router, usdc, 10n]],
        calls: [{ to: puppet, data: play }],
        recipient: ALICE
      },
      "paid": {
        payments: [[puppet, NATIVE, 1n], [router, NATIVE, 10n], [BOB, NATIVE, 1n], [router, usdc, 10n]],
        calls: [{ to: BOB, data: "0x" }],
        recipient: ALICE
      },
      "receives the rest": {
        payments: [[router, NATIVE, 10n], [router, usdc, 10n]],
        calls: [{ to: BOB, data: "0x" }],
        recipient: puppet
      }
    }
    for (const [way, of] of Object.entries(ways)) {
      const executor = await nextExecutor()
      const acts = await robberies(fixture(), executor)
      for (const [index, act] of acts.entries()) {
        const snapshot = await fixture().client.snapshot()
        const before = await wealth(fixture())
        await teach([act])
        await fill(of)
        const after = await wealth(fixture())
        const { succeeded, failed, reason } = await played()
        // A call succeeds without effect when its executor does not exist yet.
        const harmless = way === "paid" && act.to.toLowerCase() === executor.toLowerCase()
        assert.strictEqual(harmless ? failed + succeeded : failed, 1n, `${way}: robbery ${index}`)
        if (!harmless) {
          assert.match(
            reason,
            /^(NotAnOperator|OwnableUnauthorizedAccount|NotTheVault|NotTheRouter|NotTheFactory|ERC20InsufficientAllowance|TooLittle|DepositWithoutId)$/,
            `${way}: robbery ${index}`
          )
        }
        const native = (of.payments ?? []).reduce((sum, [, token, amount]) => token === NATIVE ? sum + amount : sum, 0n)
        assert.deepStrictEqual(after, [(before[0] ?? 0n) - native, (before[1] ?? 0n) - 10n, ...before.slice(2)])
        await assertEmpty(fixture(), router)
        await assertEmpty(fixture(), executor)
        await fixture().client.revert({ id: snapshot })
      }
    }
  })

  it("targets that are refused: solver, operators, owner, vault, router, executors, depository, gate, Permit2", async () => {
    const { solver, owner, stranger, vault, router, depository, nextExecutor, send } = fixture()
    await send(owner, vault, setOperator(stranger))
    const targets = [
      solver,
      stranger,
      owner,
      vault,
      router,
      await implementation(fixture()),
      await nextExecutor(),
      depository,
      GATE,
      PERMIT2
    ]
    for (const to of targets) {
      const of: FillOf = {
        payments: [[router, NATIVE, 10n]],
        calls: [{ to: BOB, data: "0x", value: 1n }, { to, data: "0x", value: 1n }],
        recipient: ALICE
      }
      assert.strictEqual(await refused(of), "TargetRefused", to)
    }
  })

  it("outside of a fill nobody controls router or executors", async () => {
    const { thief, solver, owner, router, refusal, nextExecutor } = fixture()
    const used = await nextExecutor()
    await fill({ calls: [{ to: BOB, data: "0x" }], recipient: ALICE })
    for (const who of [thief, solver, owner]) {
      assert.strictEqual(await refusal(who, router, routerFill(who)), "NotTheVault")
      for (const executor of [used, await implementation(fixture())]) {
        assert.strictEqual(await refusal(who, executor, run(who, 0n)), "NotTheRouter")
        assert.strictEqual(await refusal(who, executor, sweep(NATIVE, who)), "NotTheRouter")
      }
      assert.strictEqual(await refusal(who, router, "0x", 1n), "(no reason)")
    }
  })
})

describe("reentrancy by one who may fill", () => {
  const again = () => fillData({ orderId: word(2), payments: [[fixture().thief, fixture().usdc, 1n]] })
  const expected = { succeeded: 0n, failed: 1n, reason: "ReentrancyGuardReentrantCall" }

  it("an operator that is paid, called or receives money cannot fill inside a fill", async () => {
    const { owner, vault, router, puppet, send, teach, played } = fixture()
    // Direct calls to an operator are refused, so the native payment reaches it through another contract.
    await send(owner, vault, setOperator(puppet))
    const ways: ReadonlyArray<FillOf> = [
      { payments: [[puppet, NATIVE, 1n]] },
      { payments: [[router, NATIVE, 2n]], calls: [{ to: BOB, data: "0x", value: 1n }], recipient: puppet }
    ]
    for (const [index, way] of ways.entries()) {
      await teach([{ to: vault, data: again() }])
      await fill({ orderId: word(10 + index), ...way })
      assert.deepStrictEqual(await played(), expected)
    }
  })

  it("a token of the inventory that calls back cannot be used for it either", async () => {
    const { owner, thief, vault, router, puppet, create, mint, send, teach, played, balance } = fixture()
    const odd = await create(thief, encodeDeployData({ abi: oddAbi, bytecode: oddCode, args: [100n] }))
    await mint(odd, vault, 10_000n)
    await send(owner, vault, setOperator(puppet))
    for (const hooks of [[puppet, NATIVE], [NATIVE, puppet]] as const) {
      await send(thief, odd, encodeFunctionData({ abi: oddAbi, functionName: "setHooks", args: hooks }))
      await teach([{ to: vault, data: again() }])
      const orderId = word(hooks[0] === puppet ? 20 : 21)
      await fill({ orderId, payments: [[router, odd, 1000n]], calls: [{ to: BOB, data: "0x" }], recipient: ALICE })
      assert.deepStrictEqual(await played(), expected)
    }
    // A token with a fee leaves nothing on the way either: three transfers at 1 %, each fee rounded down.
    assert.strictEqual(await balance(odd, ALICE), 2n * 972n)
    assert.strictEqual(await balance(odd, router), 0n)
  })

  it("a withdrawal from the depository cannot be used to fill, nor a fill to withdraw twice", async () => {
    const { client, allocator, chainId, depository, puppet, stranger, teach, played, balance, send } = fixture()
    await client.setBalance({ address: depository, value: 100n })
    const message = request([{ to: puppet, value: 10n }])
    const data = executeData(message, await sign(allocator, depository, chainId, message))
    await send(stranger, depository, data)
    await teach([{ to: depository, data }])
    await fill({ payments: [[puppet, NATIVE, 1n]] })
    assert.strictEqual((await played()).reason, "RequestUsed")
    assert.strictEqual(await balance(NATIVE, depository), 90n)
  })
})

describe("money that is forced", () => {
  it("onto the router or the next executor does no harm and goes to the next recipient", async () => {
    const { router, usdc, usdt, mint, client, nextExecutor, balance } = fixture()
    const executor = await nextExecutor()
    for (const address of [router, executor]) {
      await mint(usdc, address, 5n)
      await client.setBalance({ address, value: 7n })
    }
    await mint(usdt, executor, 3n)
    await fill({ payments: [[router, usdc, 100n]], calls: [{ to: BOB, data: "0x" }], recipient: ALICE })
    assert.strictEqual(await balance(usdc, ALICE), 110n)
    assert.strictEqual(await balance(NATIVE, ALICE), 14n)
    assert.strictEqual(await balance(usdt, executor), 3n, "a token that nobody named stays behind")
    await assertEmpty(fixture(), router)
  })
})

describe("money that calls send to the router", () => {
  it("goes to the order's own recipient, not to the next one's", async () => {
    const { router, usdc, usdt, create, mint, thief, balance } = fixture()
    const market = await create(thief, marketCode)
    await mint(usdt, market, 100n)
    const transfer = (amount: bigint) =>
      encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [router, amount] })
    await fill({
      payments: [[router, usdc, 100n]],
      calls: [
        { to: usdc, data: approve(market, 40n) },
        {
          to: market,
          data: encodeFunctionData({ abi: marketAbi, functionName: "swap", args: [usdc, 40n, usdt, 39n] })
        },
        { to: usdc, data: transfer(50n) },
        { to: usdt, data: transfer(20n) }
      ],
      leftovers: [usdt],
      recipient: ALICE
    })
    assert.strictEqual(await balance(usdc, ALICE), 60n)
    assert.strictEqual(await balance(usdt, ALICE), 39n)
    await assertEmpty(fixture(), router)
  })
})

describe("deployment", () => {
  it("a router whose vault names another router cannot be deployed", async () => {
    const { client, vault, thief } = fixture()
    const data = encodeDeployData({ abi: routerAbi, bytecode: routerCode, args: [vault, []] })
    const error = await client.call({ account: thief, data }).then(() => "", String)
    assert.isAbove(error.length, 0)
    assert.isAbove(size(await client.getCode({ address: vault }) ?? "0x"), 0)
  })
})
