// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {DepositAddress} from "./DepositAddress.sol";
import {Depository} from "./Depository.sol";

/// @notice One currency of one deposit address, and the id that its deposit is to have. `currency` zero is the native
/// one. It stands last, as in every function here: no calldata of ours ends with an order's id, which would name a payment.
struct Sweep {
    bytes32 orderId;
    address depositor;
    bytes32 id;
    address currency;
}

/// @title DepositAddresses: the factory of deposit addresses, and the one hand that empties them
/// @notice A deposit address is a function of (orderId, depositor), the same on every EVM chain (ADDRESS-1). It is paid
/// before it exists; the first sweep that finds something there makes it. All it can ever do is deposit into the one
/// depository of its chain, for its depositor.
/// SECURITY: the factory must be at the same address everywhere, so its init code holds nothing of a chain, and it is
/// deployed through the CREATE2 deployer. Whoever is its owner on a chain where the depository is not set yet chooses
/// where that chain's deposits go: the owner must be an address that nobody else can come to hold on any chain (a key,
/// not a contract that somebody could deploy elsewhere).
/// SECURITY: whoever sweeps chooses what else his transaction deposits, and when: a made-up token in it would keep the
/// deposit from ever being minted, and the first order's id at a moment of his choosing would make what comes later a
/// second deposit of it. So operators alone sweep. They may give any deposit another order's id: an operator's key is
/// worth what lies at the addresses. Should there be no operator any more, a depositor takes out what lies at his own
/// addresses a day after he has announced it, and nobody else's.
contract DepositAddresses is Ownable2Step, ReentrancyGuardTransient {
    event DepositorySet(address depository);
    event OperatorChanged(address operator, bool allowed);
    event SweepFailed(address depositAddress, address currency);
    event ExitAnnounced(address depositAddress, address depositor, uint256 from);

    error ZeroAddress();
    error NotAnOperator(address caller);
    error NotADepository(address account);
    error DepositoryAlreadySet();
    error DepositoryNotSet();
    error NothingToSweep();
    error NotTheFactory();
    error TooLittleGas(uint256 index);
    error ExitNotAnnounced();
    error ExitTooEarly(uint256 from);
    error NotTheAddressesOrder(bytes32 id);

    /// @notice Gas of each sweep of {sweepMany}. One that needs more can be made by {sweep} or {sweepFor}.
    uint256 public constant SWEEP_GAS = 500_000;

    /// @notice From an announcement on, operators have so long to sweep what lies there, as ever.
    uint256 public constant EXIT_DELAY = 24 hours;

    address public immutable IMPLEMENTATION;

    /// @dev keccak256 of what {_initCode} gives.
    bytes32 private immutable INIT_CODE_HASH;

    /// @notice The depository of this chain; zero until it is set, and never another afterwards.
    Depository public depository;

    /// @notice Who may sweep. Several may, so that no key is the only one.
    mapping(address account => bool allowed) public isOperator;

    /// @notice From when on its depositor may sweep an address himself, in seconds; zero until he has announced it.
    mapping(address depositAddress => uint256 from) public exitFrom;

    modifier onlyOperator() {
        require(isOperator[msg.sender], NotAnOperator(msg.sender));
        _;
    }

    constructor(address owner_) Ownable(owner_) {
        IMPLEMENTATION = address(new DepositAddress());
        INIT_CODE_HASH = keccak256(_initCode());
    }

    /// @notice Where the deposits of this order are paid to. `depositor` is who the settlement protocol credits with
    /// what no order claims: the recovery address if there is one, else the user.
    function computeDepositAddress(bytes32 orderId, address depositor) external view returns (address) {
        return _addressOf(_saltOf(orderId, depositor));
    }

    /// @notice Deposits all that the address of (orderId, depositor) has of `currency`, with that order's id.
    function sweep(bytes32 orderId, address depositor, address currency) external onlyOperator nonReentrant {
        require(_sweep(Sweep(orderId, depositor, orderId, currency)), NothingToSweep());
    }

    /// @notice The same with the id of an order that was made for this deposit: an open address takes many.
    /// @param laterOrderId zero for no order: the settlement protocol credits the depositor
    function sweepFor(
        bytes32 orderId,
        address depositor,
        bytes32 laterOrderId,
        address currency
    ) external onlyOperator nonReentrant {
        require(_sweep(Sweep(orderId, depositor, laterOrderId, currency)), NothingToSweep());
    }

    /// @notice Many at once: one that fails is told by SweepFailed and changes nothing for the others, whatever its token
    /// does; where there is nothing, nothing is done.
    /// SECURITY: all deposits of a transaction are minted together or not at all: only currencies that hubs are
    /// known to mint belong here.
    /// SECURITY: a failure counts only when the sweep had all of SWEEP_GAS. So no caller can make one fail by giving too
    /// little, and an estimate of gas, which looks for the least that does not revert, finds enough.
    /// @return succeeded one flag a sweep; true as well where there was nothing to sweep
    function sweepMany(Sweep[] calldata sweeps) external onlyOperator nonReentrant returns (bool[] memory succeeded) {
        require(address(depository) != address(0), DepositoryNotSet());
        succeeded = new bool[](sweeps.length);
        for (uint256 i = 0; i < sweeps.length; ++i) {
            Sweep calldata one = sweeps[i];
            succeeded[i] = _sweepApart(i, one);
            if (!succeeded[i]) emit SweepFailed(_addressOf(_saltOf(one.orderId, one.depositor)), one.currency);
        }
    }

    /// @dev A sweep of {sweepMany} in a call of its own: what it does is undone when it fails, its gas is its own.
    function sweepApart(Sweep calldata one) external {
        require(msg.sender == address(this), NotTheFactory());
        _sweep(one);
    }

    /// @notice Says that the caller will sweep his own address of this order himself, {EXIT_DELAY} from now. Said again, it
    /// changes nothing. The address need not have anything yet.
    function announceExit(bytes32 orderId) external {
        address account = _addressOf(_saltOf(orderId, msg.sender));
        if (exitFrom[account] != 0) return;
        uint256 from = block.timestamp + EXIT_DELAY;
        exitFrom[account] = from;
        emit ExitAnnounced(account, msg.sender, from);
    }

    /// @notice What the caller has announced: deposits all that his address of this order has of `currency`.
    /// @param id the address's own order, or zero for none: the settlement protocol credits the caller then
    function exit(bytes32 orderId, bytes32 id, address currency) external nonReentrant {
        uint256 from = exitFrom[_addressOf(_saltOf(orderId, msg.sender))];
        require(from != 0, ExitNotAnnounced());
        require(block.timestamp >= from, ExitTooEarly(from));
        require(id == bytes32(0) || id == orderId, NotTheAddressesOrder(id));
        require(_sweep(Sweep(orderId, msg.sender, id, currency)), NothingToSweep());
    }

    /// @notice Once for ever. It must be there already: a mistake could not be mended.
    function setDepository(Depository depository_) external onlyOwner {
        require(address(depository) == address(0), DepositoryAlreadySet());
        require(address(depository_).code.length > 0, NotADepository(address(depository_)));
        depository = depository_;
        emit DepositorySet(address(depository_));
    }

    function setOperator(address operator, bool allowed) external onlyOwner {
        require(operator != address(0), ZeroAddress());
        isOperator[operator] = allowed;
        emit OperatorChanged(operator, allowed);
    }

    /// @dev What the call returns is not copied: it is a token's choice and our gas.
    function _sweepApart(uint256 index, Sweep calldata one) private returns (bool success) {
        bytes memory data = abi.encodeCall(this.sweepApart, (one));
        uint256 given = gasleft();
        assembly ("memory-safe") {
            success := call(SWEEP_GAS, address(), 0, add(data, 0x20), mload(data), 0x00, 0x00)
        }
        // Of what is left when it is made, a call gets all but a 64th at most (EIP-150); 1,000 are for making it.
        require(success || given - given / 64 >= SWEEP_GAS + 1_000, TooLittleGas(index));
    }

    /// @return swept false when there is nothing, and then nothing is made there
    function _sweep(Sweep memory one) private returns (bool swept) {
        Depository depository_ = depository;
        require(address(depository_) != address(0), DepositoryNotSet());
        bytes32 salt = _saltOf(one.orderId, one.depositor);
        address account = _addressOf(salt);
        uint256 amount = one.currency == address(0) ? account.balance : IERC20(one.currency).balanceOf(account);
        if (amount == 0) return false;
        if (account.code.length == 0) Create2.deploy(0, salt, _initCode());
        DepositAddress(account).deposit(depository_, one.depositor, one.id, one.currency, amount);
        return true;
    }

    /// @dev Money at an address without a depositor could never be deposited.
    function _saltOf(bytes32 orderId, address depositor) private pure returns (bytes32) {
        require(depositor != address(0), ZeroAddress());
        return keccak256(abi.encode(orderId, depositor));
    }

    function _addressOf(bytes32 salt) private view returns (address) {
        return Create2.computeAddress(salt, INIT_CODE_HASH);
    }

    /// @dev Nine bytes that return the rest, which is the proxy:
    ///
    ///   if caller() != factory { stop() }               33 73‹factory› 14 60 1b 57 00
    ///   calldatacopy(0, 0, calldatasize())              5b 36 5f 5f 37
    ///   delegatecall(gas(), implementation, …)          5f 5f 36 5f 73‹implementation› 5a f4
    ///   returndatacopy(0, 0, returndatasize())          3d 5f 5f 3e
    ///   if it failed { revert } else { return }         60 45 57 3d 5f fd 5b 3d 5f f3
    ///
    /// So money is taken from anybody, with any data and for the 2300 gas of a plain transfer, as before it is deployed.
    function _initCode() private view returns (bytes memory) {
        return
            abi.encodePacked(
                hex"60498060095f395ff33373",
                address(this),
                hex"14601b57005b365f5f375f5f365f73",
                IMPLEMENTATION,
                hex"5af43d5f5f3e6045573d5ffd5b3d5ff3"
            );
    }
}
