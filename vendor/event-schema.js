// node_modules/effect/dist/esm/Function.js
const isFunction$1 = (input) => typeof input == "function", dual = function(arity, body) {
	if (typeof arity == "function") return function() {
		return arity(arguments) ? body.apply(this, arguments) : (self) => body(self, ...arguments);
	};
	switch (arity) {
		case 0:
		case 1: throw RangeError(`Invalid arity ${arity}`);
		case 2: return function(a, b) {
			return arguments.length >= 2 ? body(a, b) : function(self) {
				return body(self, a);
			};
		};
		case 3: return function(a, b, c) {
			return arguments.length >= 3 ? body(a, b, c) : function(self) {
				return body(self, a, b);
			};
		};
		case 4: return function(a, b, c, d) {
			return arguments.length >= 4 ? body(a, b, c, d) : function(self) {
				return body(self, a, b, c);
			};
		};
		case 5: return function(a, b, c, d, e) {
			return arguments.length >= 5 ? body(a, b, c, d, e) : function(self) {
				return body(self, a, b, c, d);
			};
		};
		default: return function() {
			if (arguments.length >= arity) return body.apply(this, arguments);
			let args = arguments;
			return function(self) {
				return body(self, ...args);
			};
		};
	}
}, identity = (a) => a, constant = (value) => () => value, constTrue = constant(!0), constFalse = constant(!1), constUndefined = constant(void 0), constVoid = constUndefined;
function pipe(a, ab, bc, cd, de, ef, fg, gh, hi) {
	switch (arguments.length) {
		case 1: return a;
		case 2: return ab(a);
		case 3: return bc(ab(a));
		case 4: return cd(bc(ab(a)));
		case 5: return de(cd(bc(ab(a))));
		case 6: return ef(de(cd(bc(ab(a)))));
		case 7: return fg(ef(de(cd(bc(ab(a))))));
		case 8: return gh(fg(ef(de(cd(bc(ab(a)))))));
		case 9: return hi(gh(fg(ef(de(cd(bc(ab(a))))))));
		default: {
			let ret = arguments[0];
			for (let i = 1; i < arguments.length; i++) ret = arguments[i](ret);
			return ret;
		}
	}
}
// node_modules/effect/dist/esm/Equivalence.js
const make$26 = (isEquivalent) => (self, that) => self === that || isEquivalent(self, that), mapInput$1 = dual(2, (self, f) => make$26((x, y) => self(f(x), f(y)))), array$1 = (item) => make$26((self, that) => {
	if (self.length !== that.length) return !1;
	for (let i = 0; i < self.length; i++) if (!item(self[i], that[i])) return !1;
	return !0;
}), globalStoreId = "effect/GlobalValue";
let globalStore;
const globalValue = (id, compute) => (globalStore ||= (globalThis[globalStoreId] ??= new Map(), globalThis[globalStoreId]), globalStore.has(id) || globalStore.set(id, compute()), globalStore.get(id)), isString = (input) => typeof input == "string", isNumber = (input) => typeof input == "number", isBoolean = (input) => typeof input == "boolean", isBigInt = (input) => typeof input == "bigint", isSymbol = (input) => typeof input == "symbol", isFunction = isFunction$1, isUndefined = (input) => input === void 0, isNotUndefined = (input) => input !== void 0, isNotNull = (input) => input !== null, isNever = (_) => !1, isRecordOrArray = (input) => typeof input == "object" && !!input, isObject$1 = (input) => isRecordOrArray(input) || isFunction(input), hasProperty = dual(2, (self, property) => isObject$1(self) && property in self), isTagged = dual(2, (self, tag) => hasProperty(self, "_tag") && self._tag === tag), isNullable = (input) => input == null, isNotNullable = (input) => input != null, isDate = (input) => input instanceof Date, isIterable = (input) => typeof input == "string" || hasProperty(input, Symbol.iterator), isRecord = (input) => isRecordOrArray(input) && !Array.isArray(input), isPromiseLike = (input) => hasProperty(input, "then") && isFunction(input.then), getBugErrorMessage = (message) => `BUG: ${message} - please report an issue at https://github.com/Effect-TS/effect/issues`;
// node_modules/effect/dist/esm/Utils.js
var SingleShotGen$1 = class SingleShotGen$1 {
	self;
	called = !1;
	constructor(self) {
		this.self = self;
	}
	next(a) {
		return this.called ? {
			value: a,
			done: !0
		} : (this.called = !0, {
			value: this.self,
			done: !1
		});
	}
	return(a) {
		return {
			value: a,
			done: !0
		};
	}
	throw(e) {
		throw e;
	}
	[Symbol.iterator]() {
		return new SingleShotGen$1(this.self);
	}
}, PCGRandom = class {
	_state;
	constructor(seedHi, seedLo, incHi, incLo) {
		return isNullable(seedLo) && isNullable(seedHi) ? (seedLo = Math.random() * 4294967295 >>> 0, seedHi = 0) : isNullable(seedLo) && (seedLo = seedHi, seedHi = 0), isNullable(incLo) && isNullable(incHi) ? (incLo = this._state ? this._state[3] : 4150755663, incHi = this._state ? this._state[2] : 335903614) : isNullable(incLo) && (incLo = incHi, incHi = 0), this._state = new Int32Array([
			0,
			0,
			incHi >>> 0,
			((incLo || 0) | 1) >>> 0
		]), this._next(), add64(this._state, this._state[0], this._state[1], seedHi >>> 0, seedLo >>> 0), this._next(), this;
	}
	getState() {
		return [
			this._state[0],
			this._state[1],
			this._state[2],
			this._state[3]
		];
	}
	setState(state) {
		this._state[0] = state[0], this._state[1] = state[1], this._state[2] = state[2], this._state[3] = state[3] | 1;
	}
	integer(max) {
		return Math.round(this.number() * (2 ** 53 - 1)) % max;
	}
	number() {
		let hi = (this._next() & 67108863) * 1, lo = (this._next() & 134217727) * 1;
		return (hi * 134217728 + lo) / 9007199254740992;
	}
	_next() {
		let oldHi = this._state[0] >>> 0, oldLo = this._state[1] >>> 0;
		mul64(this._state, oldHi, oldLo, 1481765933, 1284865837), add64(this._state, this._state[0], this._state[1], this._state[2], this._state[3]);
		let xsHi = oldHi >>> 18, xsLo = (oldLo >>> 18 | oldHi << 14) >>> 0;
		xsHi = (xsHi ^ oldHi) >>> 0, xsLo = (xsLo ^ oldLo) >>> 0;
		let xorshifted = (xsLo >>> 27 | xsHi << 5) >>> 0, rot = oldHi >>> 27, rot2 = (-rot >>> 0 & 31) >>> 0;
		return (xorshifted >>> rot | xorshifted << rot2) >>> 0;
	}
};
function mul64(out, aHi, aLo, bHi, bLo) {
	let c1 = (aLo >>> 16) * (bLo & 65535) >>> 0, c0 = (aLo & 65535) * (bLo >>> 16) >>> 0, lo = (aLo & 65535) * (bLo & 65535) >>> 0, hi = (aLo >>> 16) * (bLo >>> 16) + ((c0 >>> 16) + (c1 >>> 16)) >>> 0;
	c0 = c0 << 16 >>> 0, lo = lo + c0 >>> 0, lo >>> 0 < c0 >>> 0 && (hi = hi + 1 >>> 0), c1 = c1 << 16 >>> 0, lo = lo + c1 >>> 0, lo >>> 0 < c1 >>> 0 && (hi = hi + 1 >>> 0), hi = hi + Math.imul(aLo, bHi) >>> 0, hi = hi + Math.imul(aHi, bLo) >>> 0, out[0] = hi, out[1] = lo;
}
function add64(out, aHi, aLo, bHi, bLo) {
	let hi = aHi + bHi >>> 0, lo = aLo + bLo >>> 0;
	lo >>> 0 < aLo >>> 0 && (hi = hi + 1 | 0), out[0] = hi, out[1] = lo;
}
const YieldWrapTypeId = Symbol.for("effect/Utils/YieldWrap");
var YieldWrap = class {
	#value;
	constructor(value) {
		this.#value = value;
	}
	[YieldWrapTypeId]() {
		return this.#value;
	}
};
function yieldWrapGet(self) {
	if (typeof self == "object" && self && YieldWrapTypeId in self) return self[YieldWrapTypeId]();
	throw Error(getBugErrorMessage("yieldWrapGet"));
}
const structuralRegionState = globalValue("effect/Utils/isStructuralRegion", () => ({
	enabled: !1,
	tester: void 0
})), standard = { effect_internal_function: (body) => body() }, internalCall = standard.effect_internal_function(() => Error().stack)?.includes("effect_internal_function") === !0 ? standard.effect_internal_function : { effect_internal_function: (body) => {
	try {
		return body();
	} finally {}
} }.effect_internal_function;
(function* () {}).constructor;
// node_modules/effect/dist/esm/Hash.js
const randomHashCache = globalValue(Symbol.for("effect/Hash/randomHashCache"), () => new WeakMap()), symbol$1 = Symbol.for("effect/Hash"), hash = (self) => {
	if (structuralRegionState.enabled === !0) return 0;
	switch (typeof self) {
		case "number": return number$1(self);
		case "bigint": return string(self.toString(10));
		case "boolean": return string(String(self));
		case "symbol": return string(String(self));
		case "string": return string(self);
		case "undefined": return string("undefined");
		case "function":
		case "object": return self === null ? string("null") : self instanceof Date ? Number.isNaN(self.getTime()) ? string("Invalid Date") : hash(self.toISOString()) : self instanceof URL ? hash(self.href) : isHash(self) ? self[symbol$1]() : random(self);
		default: throw Error(`BUG: unhandled typeof ${typeof self} - please report an issue at https://github.com/Effect-TS/effect/issues`);
	}
}, random = (self) => (randomHashCache.has(self) || randomHashCache.set(self, number$1(Math.floor(Math.random() * (2 ** 53 - 1)))), randomHashCache.get(self)), combine$5 = (b) => (self) => self * 53 ^ b, optimize = (n) => n & 3221225471 | n >>> 1 & 1073741824, isHash = (u) => hasProperty(u, symbol$1), number$1 = (n) => {
	if (n !== n || n === Infinity) return 0;
	let h = n | 0;
	for (h !== n && (h ^= n * 4294967295); n > 4294967295;) h ^= n /= 4294967295;
	return optimize(h);
}, string = (str) => {
	let h = 5381, i = str.length;
	for (; i;) h = h * 33 ^ str.charCodeAt(--i);
	return optimize(h);
}, structureKeys = (o, keys) => {
	let h = 12289;
	for (let i = 0; i < keys.length; i++) h ^= pipe(string(keys[i]), combine$5(hash(o[keys[i]])));
	return optimize(h);
}, structure = (o) => structureKeys(o, Object.keys(o)), array = (arr) => {
	let h = 6151;
	for (let i = 0; i < arr.length; i++) h = pipe(h, combine$5(hash(arr[i])));
	return optimize(h);
}, cached = function() {
	if (arguments.length === 1) {
		let self = arguments[0];
		return function(hash) {
			return Object.defineProperty(self, symbol$1, {
				value() {
					return hash;
				},
				enumerable: !1
			}), hash;
		};
	}
	let self = arguments[0], hash = arguments[1];
	return Object.defineProperty(self, symbol$1, {
		value() {
			return hash;
		},
		enumerable: !1
	}), hash;
}, symbol = Symbol.for("effect/Equal");
function equals$2() {
	return arguments.length === 1 ? (self) => compareBoth(self, arguments[0]) : compareBoth(arguments[0], arguments[1]);
}
function compareBoth(self, that) {
	if (self === that) return !0;
	let selfType = typeof self;
	if (selfType !== typeof that) return !1;
	if (selfType === "object" || selfType === "function") {
		if (self !== null && that !== null) {
			if (isEqual(self) && isEqual(that)) return hash(self) === hash(that) && self[symbol](that) ? !0 : structuralRegionState.enabled && structuralRegionState.tester ? structuralRegionState.tester(self, that) : !1;
			if (self instanceof Date && that instanceof Date) {
				let t1 = self.getTime(), t2 = that.getTime();
				return t1 === t2 || Number.isNaN(t1) && Number.isNaN(t2);
			}
			if (self instanceof URL && that instanceof URL) return self.href === that.href;
		}
		if (structuralRegionState.enabled) {
			if (self === null || that === null) return !1;
			if (Array.isArray(self) && Array.isArray(that)) return self.length === that.length && self.every((v, i) => compareBoth(v, that[i]));
			if (Object.getPrototypeOf(self) === Object.prototype && Object.getPrototypeOf(that) === Object.prototype) {
				let keysSelf = Object.keys(self), keysThat = Object.keys(that);
				if (keysSelf.length === keysThat.length) {
					for (let key of keysSelf) if (!(key in that && compareBoth(self[key], that[key]))) return structuralRegionState.tester ? structuralRegionState.tester(self, that) : !1;
					return !0;
				}
			}
			return structuralRegionState.tester ? structuralRegionState.tester(self, that) : !1;
		}
	}
	return structuralRegionState.enabled && structuralRegionState.tester ? structuralRegionState.tester(self, that) : !1;
}
const isEqual = (u) => hasProperty(u, symbol), equivalence = () => equals$2, NodeInspectSymbol = Symbol.for("nodejs.util.inspect.custom"), toJSON = (x) => {
	try {
		if (hasProperty(x, "toJSON") && isFunction(x.toJSON) && x.toJSON.length === 0) return x.toJSON();
		if (Array.isArray(x)) return x.map(toJSON);
	} catch {
		return {};
	}
	return redact(x);
}, format$4 = (x) => JSON.stringify(x, null, 2), toStringUnknown = (u, whitespace = 2) => {
	if (typeof u == "string") return u;
	try {
		return typeof u == "object" ? stringifyCircular(u, whitespace) : String(u);
	} catch {
		return String(u);
	}
}, stringifyCircular = (obj, whitespace) => {
	let cache = [], retVal = JSON.stringify(obj, (_key, value) => typeof value == "object" && value ? cache.includes(value) ? void 0 : cache.push(value) && (redactableState.fiberRefs !== void 0 && isRedactable(value) ? value[symbolRedactable](redactableState.fiberRefs) : value) : value, whitespace);
	return cache = void 0, retVal;
}, symbolRedactable = Symbol.for("effect/Inspectable/Redactable"), isRedactable = (u) => typeof u == "object" && !!u && symbolRedactable in u, redactableState = globalValue("effect/Inspectable/redactableState", () => ({ fiberRefs: void 0 })), withRedactableContext = (context, f) => {
	let prev = redactableState.fiberRefs;
	redactableState.fiberRefs = context;
	try {
		return f();
	} finally {
		redactableState.fiberRefs = prev;
	}
}, redact = (u) => isRedactable(u) && redactableState.fiberRefs !== void 0 ? u[symbolRedactable](redactableState.fiberRefs) : u, pipeArguments = (self, args) => {
	switch (args.length) {
		case 0: return self;
		case 1: return args[0](self);
		case 2: return args[1](args[0](self));
		case 3: return args[2](args[1](args[0](self)));
		case 4: return args[3](args[2](args[1](args[0](self))));
		case 5: return args[4](args[3](args[2](args[1](args[0](self)))));
		case 6: return args[5](args[4](args[3](args[2](args[1](args[0](self))))));
		case 7: return args[6](args[5](args[4](args[3](args[2](args[1](args[0](self)))))));
		case 8: return args[7](args[6](args[5](args[4](args[3](args[2](args[1](args[0](self))))))));
		case 9: return args[8](args[7](args[6](args[5](args[4](args[3](args[2](args[1](args[0](self)))))))));
		default: {
			let ret = self;
			for (let i = 0, len = args.length; i < len; i++) ret = args[i](ret);
			return ret;
		}
	}
}, OP_ASYNC = "Async", OP_COMMIT = "Commit", OP_FAILURE = "Failure", OP_ON_FAILURE = "OnFailure", OP_ON_SUCCESS = "OnSuccess", OP_ON_SUCCESS_AND_FAILURE = "OnSuccessAndFailure", OP_SUCCESS = "Success", OP_SYNC = "Sync", OP_UPDATE_RUNTIME_FLAGS = "UpdateRuntimeFlags", OP_WHILE = "While", OP_ITERATOR = "Iterator", OP_WITH_RUNTIME = "WithRuntime", OP_YIELD = "Yield", OP_REVERT_FLAGS = "RevertFlags", getCurrentVersion = () => "3.22.4", EffectTypeId$1 = Symbol.for("effect/Effect"), StreamTypeId = Symbol.for("effect/Stream"), SinkTypeId = Symbol.for("effect/Sink"), ChannelTypeId = Symbol.for("effect/Channel"), effectVariance = {
	_R: (_) => _,
	_E: (_) => _,
	_A: (_) => _,
	_V: getCurrentVersion()
}, sinkVariance = {
	_A: (_) => _,
	_In: (_) => _,
	_L: (_) => _,
	_E: (_) => _,
	_R: (_) => _
}, channelVariance = {
	_Env: (_) => _,
	_InErr: (_) => _,
	_InElem: (_) => _,
	_InDone: (_) => _,
	_OutErr: (_) => _,
	_OutElem: (_) => _,
	_OutDone: (_) => _
}, EffectPrototype$1 = {
	[EffectTypeId$1]: effectVariance,
	[StreamTypeId]: effectVariance,
	[SinkTypeId]: sinkVariance,
	[ChannelTypeId]: channelVariance,
	[symbol](that) {
		return this === that;
	},
	[symbol$1]() {
		return cached(this, random(this));
	},
	[Symbol.iterator]() {
		return new SingleShotGen$1(new YieldWrap(this));
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, StructuralPrototype = {
	[symbol$1]() {
		return cached(this, structure(this));
	},
	[symbol](that) {
		let selfKeys = Object.keys(this), thatKeys = Object.keys(that);
		if (selfKeys.length !== thatKeys.length) return !1;
		for (let key of selfKeys) if (!(key in that && equals$2(this[key], that[key]))) return !1;
		return !0;
	}
}, CommitPrototype = {
	...EffectPrototype$1,
	_op: OP_COMMIT
}, StructuralCommitPrototype = {
	...CommitPrototype,
	...StructuralPrototype
}, Base$1 = function() {
	function Base() {}
	return Base.prototype = CommitPrototype, Base;
}(), TypeId$12 = Symbol.for("effect/Option"), CommonProto$1 = {
	...EffectPrototype$1,
	[TypeId$12]: { _A: (_) => _ },
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	toString() {
		return format$4(this.toJSON());
	}
}, SomeProto = Object.assign(Object.create(CommonProto$1), {
	_tag: "Some",
	_op: "Some",
	[symbol](that) {
		return isOption$1(that) && isSome$1(that) && equals$2(this.value, that.value);
	},
	[symbol$1]() {
		return cached(this, combine$5(hash(this._tag))(hash(this.value)));
	},
	toJSON() {
		return {
			_id: "Option",
			_tag: this._tag,
			value: toJSON(this.value)
		};
	}
}), NoneHash = hash("None"), NoneProto = Object.assign(Object.create(CommonProto$1), {
	_tag: "None",
	_op: "None",
	[symbol](that) {
		return isOption$1(that) && isNone$1(that);
	},
	[symbol$1]() {
		return NoneHash;
	},
	toJSON() {
		return {
			_id: "Option",
			_tag: this._tag
		};
	}
}), isOption$1 = (input) => hasProperty(input, TypeId$12), isNone$1 = (fa) => fa._tag === "None", isSome$1 = (fa) => fa._tag === "Some", none$5 = Object.create(NoneProto), some$1 = (value) => {
	let a = Object.create(SomeProto);
	return a.value = value, a;
}, TypeId$11 = Symbol.for("effect/Either"), CommonProto = {
	...EffectPrototype$1,
	[TypeId$11]: { _R: (_) => _ },
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	toString() {
		return format$4(this.toJSON());
	}
}, RightProto = Object.assign(Object.create(CommonProto), {
	_tag: "Right",
	_op: "Right",
	[symbol](that) {
		return isEither(that) && isRight$1(that) && equals$2(this.right, that.right);
	},
	[symbol$1]() {
		return combine$5(hash(this._tag))(hash(this.right));
	},
	toJSON() {
		return {
			_id: "Either",
			_tag: this._tag,
			right: toJSON(this.right)
		};
	}
}), LeftProto = Object.assign(Object.create(CommonProto), {
	_tag: "Left",
	_op: "Left",
	[symbol](that) {
		return isEither(that) && isLeft$1(that) && equals$2(this.left, that.left);
	},
	[symbol$1]() {
		return combine$5(hash(this._tag))(hash(this.left));
	},
	toJSON() {
		return {
			_id: "Either",
			_tag: this._tag,
			left: toJSON(this.left)
		};
	}
}), isEither = (input) => hasProperty(input, TypeId$11), isLeft$1 = (ma) => ma._tag === "Left", isRight$1 = (ma) => ma._tag === "Right", left$1 = (left) => {
	let a = Object.create(LeftProto);
	return a.left = left, a;
}, right = (right) => {
	let a = Object.create(RightProto);
	return a.right = right, a;
}, left = left$1, isLeft = isLeft$1, isRight = isRight$1, mapLeft = dual(2, (self, f) => isLeft(self) ? left(f(self.left)) : right(self.right)), merge$3 = dual(2, (self, { onLeft, onRight }) => isLeft(self) ? onLeft(self.left) : onRight(self.right))({
	onLeft: identity,
	onRight: identity
}), getOrThrowWith$1 = dual(2, (self, onLeft) => {
	if (isRight(self)) return self.right;
	throw onLeft(self.left);
}), flatMap$6 = dual(2, (self, f) => isLeft(self) ? left(self.left) : f(self.right)), isNonEmptyArray$1 = (self) => self.length > 0, make$25 = (compare) => (self, that) => self === that ? 0 : compare(self, that), number = make$25((self, that) => self < that ? -1 : 1), mapInput = dual(2, (self, f) => make$25((b1, b2) => self(f(b1), f(b2)))), greaterThan$1 = (O) => dual(2, (self, that) => O(self, that) === 1), none$4 = () => none$5, some = some$1, isOption = isOption$1, isNone = isNone$1, isSome = isSome$1, match$3 = dual(2, (self, { onNone, onSome }) => isNone(self) ? onNone() : onSome(self.value)), getOrElse = dual(2, (self, onNone) => isNone(self) ? onNone() : self.value), orElse$3 = dual(2, (self, that) => isNone(self) ? that() : self), orElseSome = dual(2, (self, onNone) => isNone(self) ? some(onNone()) : self), fromNullable = (nullableValue) => nullableValue == null ? none$4() : some(nullableValue), getOrUndefined = getOrElse(constUndefined), liftThrowable = (f) => (...a) => {
	try {
		return some(f(...a));
	} catch {
		return none$4();
	}
}, getOrThrow = dual(2, (self, onNone) => {
	if (isSome(self)) return self.value;
	throw onNone();
})(() => Error("getOrThrow called on a None")), map$6 = dual(2, (self, f) => isNone(self) ? none$4() : some(f(self.value))), flatMap$5 = dual(2, (self, f) => isNone(self) ? none$4() : f(self.value)), filterMap$1 = flatMap$5, filter$1 = dual(2, (self, predicate) => filterMap$1(self, (b) => predicate(b) ? some$1(b) : none$5)), getEquivalence$3 = (isEquivalent) => make$26((x, y) => isNone(x) ? isNone(y) : !isNone(y) && isEquivalent(x.value, y.value)), contains = ((isEquivalent) => dual(2, (self, a) => !isNone(self) && isEquivalent(self.value, a)))(equivalence()), exists = dual(2, (self, refinement) => !isNone(self) && refinement(self.value)), mergeWith = (f) => (o1, o2) => isNone(o1) ? o2 : isNone(o2) ? o1 : some(f(o1.value, o2.value)), make$24 = (...elements) => elements, allocate = (n) => Array(n), makeBy = dual(2, (n, f) => {
	let max = Math.max(1, Math.floor(n)), out = Array(max);
	for (let i = 0; i < max; i++) out[i] = f(i);
	return out;
}), fromIterable$6 = (collection) => Array.isArray(collection) ? collection : Array.from(collection), ensure = (self) => Array.isArray(self) ? self : [self], matchLeft = dual(2, (self, { onEmpty, onNonEmpty }) => isNonEmptyReadonlyArray(self) ? onNonEmpty(headNonEmpty$1(self), tailNonEmpty$1(self)) : onEmpty()), prepend$2 = dual(2, (self, head) => [head, ...self]), append$1 = dual(2, (self, last) => [...self, last]), appendAll$2 = dual(2, (self, that) => fromIterable$6(self).concat(fromIterable$6(that))), isArray = Array.isArray, isEmptyReadonlyArray = (self) => self.length === 0, isNonEmptyArray = isNonEmptyArray$1, isNonEmptyReadonlyArray = isNonEmptyArray$1, isOutOfBounds = (i, as) => i < 0 || i >= as.length, clamp = (i, as) => Math.floor(Math.min(Math.max(0, i), as.length)), get$7 = dual(2, (self, index) => {
	let i = Math.floor(index);
	return isOutOfBounds(i, self) ? none$4() : some(self[i]);
}), unsafeGet$3 = dual(2, (self, index) => {
	let i = Math.floor(index);
	if (isOutOfBounds(i, self)) throw Error(`Index ${i} out of bounds`);
	return self[i];
}), head = get$7(0), headNonEmpty$1 = unsafeGet$3(0), last = (self) => isNonEmptyReadonlyArray(self) ? some(lastNonEmpty(self)) : none$4(), lastNonEmpty = (self) => self[self.length - 1], tailNonEmpty$1 = (self) => self.slice(1), spanIndex = (self, predicate) => {
	let i = 0;
	for (let a of self) {
		if (!predicate(a, i)) break;
		i++;
	}
	return i;
}, span = dual(2, (self, predicate) => splitAt(self, spanIndex(self, predicate))), drop$1 = dual(2, (self, n) => {
	let input = fromIterable$6(self);
	return input.slice(clamp(n, input), input.length);
}), reverse$2 = (self) => Array.from(self).reverse(), sort = dual(2, (self, O) => {
	let out = Array.from(self);
	return out.sort(O), out;
}), zip$1 = dual(2, (self, that) => zipWith(self, that, make$24)), zipWith = dual(3, (self, that, f) => {
	let as = fromIterable$6(self), bs = fromIterable$6(that);
	if (isNonEmptyReadonlyArray(as) && isNonEmptyReadonlyArray(bs)) {
		let out = [f(headNonEmpty$1(as), headNonEmpty$1(bs))], len = Math.min(as.length, bs.length);
		for (let i = 1; i < len; i++) out[i] = f(as[i], bs[i]);
		return out;
	}
	return [];
}), _equivalence$2 = equivalence(), splitAt = dual(2, (self, n) => {
	let input = Array.from(self), _n = Math.floor(n);
	return isNonEmptyReadonlyArray(input) ? _n >= 1 ? splitNonEmptyAt(input, _n) : [[], input] : [input, []];
}), splitNonEmptyAt = dual(2, (self, n) => {
	let _n = Math.max(1, Math.floor(n));
	return _n >= self.length ? [copy$1(self), []] : [prepend$2(self.slice(1, _n), headNonEmpty$1(self)), self.slice(_n)];
}), copy$1 = (self) => self.slice(), unionWith = dual(3, (self, that, isEquivalent) => {
	let a = fromIterable$6(self), b = fromIterable$6(that);
	return isNonEmptyReadonlyArray(a) ? isNonEmptyReadonlyArray(b) ? dedupeWith(isEquivalent)(appendAll$2(a, b)) : a : b;
}), union$2 = dual(2, (self, that) => unionWith(self, that, _equivalence$2)), empty$19 = () => [], of$2 = (a) => [a], map$5 = dual(2, (self, f) => self.map(f)), flatMap$4 = dual(2, (self, f) => {
	if (isEmptyReadonlyArray(self)) return [];
	let out = [];
	for (let i = 0; i < self.length; i++) {
		let inner = f(self[i], i);
		for (let j = 0; j < inner.length; j++) out.push(inner[j]);
	}
	return out;
}), flatten$3 = flatMap$4(identity), filterMap = dual(2, (self, f) => {
	let as = fromIterable$6(self), out = [];
	for (let i = 0; i < as.length; i++) {
		let o = f(as[i], i);
		isSome(o) && out.push(o.value);
	}
	return out;
}), reduce$6 = dual(3, (self, b, f) => fromIterable$6(self).reduce((b, a, i) => f(b, a, i), b)), unfold = (b, f) => {
	let out = [], next = b, o;
	for (; isSome(o = f(next));) {
		let [a, b] = o.value;
		out.push(a), next = b;
	}
	return out;
}, getEquivalence$2 = array$1, dedupeWith = dual(2, (self, isEquivalent) => {
	let input = fromIterable$6(self);
	if (isNonEmptyReadonlyArray(input)) {
		let out = [headNonEmpty$1(input)], rest = tailNonEmpty$1(input);
		for (let r of rest) out.every((a) => !isEquivalent(r, a)) && out.push(r);
		return out;
	}
	return [];
}), dedupe = (self) => dedupeWith(self, equivalence()), join$1 = dual(2, (self, sep) => fromIterable$6(self).join(sep)), Order$1 = number, escape = (string) => string.replace(/[/\\^$*+?.()|[\]{}]/g, "\\$&"), getKeysForIndexSignature = (input, parameter) => {
	switch (parameter._tag) {
		case "StringKeyword":
		case "TemplateLiteral": return Object.keys(input);
		case "SymbolKeyword": return Object.getOwnPropertySymbols(input);
		case "Refinement": return getKeysForIndexSignature(input, parameter.from);
	}
}, ownKeys = (o) => Object.keys(o).concat(Object.getOwnPropertySymbols(o)), memoizeThunk = (f) => {
	let done = !1, a;
	return () => (done ||= (a = f(), !0), a);
}, formatDate = (date) => {
	try {
		return date.toISOString();
	} catch {
		return String(date);
	}
}, formatUnknown = (u) => {
	if (isString(u)) return JSON.stringify(u);
	if (isNumber(u) || u == null || isBoolean(u) || isSymbol(u)) return String(u);
	if (isDate(u)) return formatDate(u);
	if (isBigInt(u)) return String(u) + "n";
	if (!isArray(u) && hasProperty(u, "toString") && isFunction(u.toString) && u.toString !== Object.prototype.toString) return u.toString();
	try {
		return JSON.stringify(u), isArray(u) ? `[${u.map(formatUnknown).join(",")}]` : `{${ownKeys(u).map((k) => `${isString(k) ? JSON.stringify(k) : String(k)}:${formatUnknown(u[k])}`).join(",")}}`;
	} catch {
		return String(u);
	}
}, formatPropertyKey$1 = (name) => typeof name == "string" ? JSON.stringify(name) : String(name), isNonEmpty$1 = (x) => Array.isArray(x), isSingle = (x) => !Array.isArray(x), formatPathKey = (key) => `[${formatPropertyKey$1(key)}]`, formatPath = (path) => isNonEmpty$1(path) ? path.map(formatPathKey).join("") : formatPathKey(path), getErrorMessage = (reason, details, path, ast) => {
	let out = reason;
	return path && isNonEmptyReadonlyArray(path) && (out += `\nat path: ${formatPath(path)}`), details !== void 0 && (out += `\ndetails: ${details}`), ast && (out += `\nschema (${ast._tag}): ${ast}`), out;
}, getASTUnsupportedKeySchema = (ast) => getErrorMessage("Unsupported key schema", void 0, void 0, ast), getASTUnsupportedLiteral = (literal) => getErrorMessage("Unsupported literal", `literal value: ${formatUnknown(literal)}`), getASTDuplicateIndexSignatureErrorMessage = (type) => getErrorMessage("Duplicate index signature", `${type} index signature`), getASTIndexSignatureParameterErrorMessage = getErrorMessage("Unsupported index signature parameter", "An index signature parameter type must be `string`, `symbol`, a template literal type or a refinement of the previous types"), getASTRequiredElementFollowinAnOptionalElementErrorMessage = getErrorMessage("Invalid element", "A required element cannot follow an optional element. ts(1257)"), getASTDuplicatePropertySignatureTransformationErrorMessage = (key) => getErrorMessage("Duplicate property signature transformation", `Duplicate key ${formatUnknown(key)}`), getASTDuplicatePropertySignatureErrorMessage = (key) => getErrorMessage("Duplicate property signature", `Duplicate key ${formatUnknown(key)}`), TypeAnnotationId = Symbol.for("@effect/schema/annotation/Type"), MessageAnnotationId = Symbol.for("@effect/schema/annotation/Message"), MissingMessageAnnotationId = Symbol.for("@effect/schema/annotation/MissingMessage"), IdentifierAnnotationId = Symbol.for("@effect/schema/annotation/Identifier"), TitleAnnotationId = Symbol.for("@effect/schema/annotation/Title"), DescriptionAnnotationId = Symbol.for("@effect/schema/annotation/Description"), ExamplesAnnotationId = Symbol.for("@effect/schema/annotation/Examples"), DefaultAnnotationId = Symbol.for("@effect/schema/annotation/Default"), JSONSchemaAnnotationId = Symbol.for("@effect/schema/annotation/JSONSchema"), DocumentationAnnotationId = Symbol.for("@effect/schema/annotation/Documentation"), ConcurrencyAnnotationId = Symbol.for("@effect/schema/annotation/Concurrency"), BatchingAnnotationId = Symbol.for("@effect/schema/annotation/Batching"), ParseIssueTitleAnnotationId = Symbol.for("@effect/schema/annotation/ParseIssueTitle"), ParseOptionsAnnotationId = Symbol.for("@effect/schema/annotation/ParseOptions"), DecodingFallbackAnnotationId = Symbol.for("@effect/schema/annotation/DecodingFallback"), SurrogateAnnotationId = Symbol.for("@effect/schema/annotation/Surrogate"), StableFilterAnnotationId = Symbol.for("@effect/schema/annotation/StableFilter"), getAnnotation = dual(2, (annotated, key) => Object.prototype.hasOwnProperty.call(annotated.annotations, key) ? some(annotated.annotations[key]) : none$4()), getMessageAnnotation = getAnnotation(MessageAnnotationId), getMissingMessageAnnotation = getAnnotation(MissingMessageAnnotationId), getTitleAnnotation = getAnnotation(TitleAnnotationId), getIdentifierAnnotation = getAnnotation(IdentifierAnnotationId), getDescriptionAnnotation = getAnnotation(DescriptionAnnotationId), getConcurrencyAnnotation = getAnnotation(ConcurrencyAnnotationId), getBatchingAnnotation = getAnnotation(BatchingAnnotationId), getParseIssueTitleAnnotation$1 = getAnnotation(ParseIssueTitleAnnotationId), getParseOptionsAnnotation = getAnnotation(ParseOptionsAnnotationId), getDecodingFallbackAnnotation = getAnnotation(DecodingFallbackAnnotationId), getSurrogateAnnotation = getAnnotation(SurrogateAnnotationId), getStableFilterAnnotation = getAnnotation(StableFilterAnnotationId), hasStableFilter = (annotated) => exists(getStableFilterAnnotation(annotated), (b) => b === !0), JSONIdentifierAnnotationId = Symbol.for("@effect/schema/annotation/JSONIdentifier"), getJSONIdentifierAnnotation = getAnnotation(JSONIdentifierAnnotationId);
var Declaration = class {
	typeParameters;
	decodeUnknown;
	encodeUnknown;
	annotations;
	_tag = "Declaration";
	constructor(typeParameters, decodeUnknown, encodeUnknown, annotations = {}) {
		this.typeParameters = typeParameters, this.decodeUnknown = decodeUnknown, this.encodeUnknown = encodeUnknown, this.annotations = annotations;
	}
	toString() {
		return getOrElse(getExpected(this), () => "<declaration schema>");
	}
	toJSON() {
		return {
			_tag: this._tag,
			typeParameters: this.typeParameters.map((ast) => ast.toJSON()),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const createASTGuard = (tag) => (ast) => ast._tag === tag;
var Literal$1 = class {
	literal;
	annotations;
	_tag = "Literal";
	constructor(literal, annotations = {}) {
		this.literal = literal, this.annotations = annotations;
	}
	toString() {
		return getOrElse(getExpected(this), () => formatUnknown(this.literal));
	}
	toJSON() {
		return {
			_tag: this._tag,
			literal: isBigInt(this.literal) ? String(this.literal) : this.literal,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const isLiteral = createASTGuard("Literal"), $null = new Literal$1(null);
var UniqueSymbol = class {
	symbol;
	annotations;
	_tag = "UniqueSymbol";
	constructor(symbol, annotations = {}) {
		this.symbol = symbol, this.annotations = annotations;
	}
	toString() {
		return getOrElse(getExpected(this), () => formatUnknown(this.symbol));
	}
	toJSON() {
		return {
			_tag: this._tag,
			symbol: String(this.symbol),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const undefinedKeyword = new class {
	annotations;
	_tag = "UndefinedKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({ [TitleAnnotationId]: "undefined" }), neverKeyword = new class {
	annotations;
	_tag = "NeverKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({ [TitleAnnotationId]: "never" }), unknownKeyword = new class {
	annotations;
	_tag = "UnknownKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({ [TitleAnnotationId]: "unknown" }), anyKeyword = new class {
	annotations;
	_tag = "AnyKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({ [TitleAnnotationId]: "any" }), stringKeyword = new class {
	annotations;
	_tag = "StringKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({
	[TitleAnnotationId]: "string",
	[DescriptionAnnotationId]: "a string"
}), isStringKeyword = createASTGuard("StringKeyword"), numberKeyword = new class {
	annotations;
	_tag = "NumberKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({
	[TitleAnnotationId]: "number",
	[DescriptionAnnotationId]: "a number"
}), isNumberKeyword = createASTGuard("NumberKeyword"), bigIntKeyword = new class {
	annotations;
	_tag = "BigIntKeyword";
	constructor(annotations = {}) {
		this.annotations = annotations;
	}
	toString() {
		return formatKeyword(this);
	}
	toJSON() {
		return {
			_tag: this._tag,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
}({
	[TitleAnnotationId]: "bigint",
	[DescriptionAnnotationId]: "a bigint"
}), isSymbolKeyword = createASTGuard("SymbolKeyword");
var Type$1 = class {
	type;
	annotations;
	constructor(type, annotations = {}) {
		this.type = type, this.annotations = annotations;
	}
	toJSON() {
		return {
			type: this.type.toJSON(),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
	toString() {
		return String(this.type);
	}
}, OptionalType = class extends Type$1 {
	isOptional;
	constructor(type, isOptional, annotations = {}) {
		super(type, annotations), this.isOptional = isOptional;
	}
	toJSON() {
		return {
			type: this.type.toJSON(),
			isOptional: this.isOptional,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
	toString() {
		return String(this.type) + (this.isOptional ? "?" : "");
	}
};
const getRestASTs = (rest) => rest.map((annotatedAST) => annotatedAST.type);
var TupleType = class {
	elements;
	rest;
	isReadonly;
	annotations;
	_tag = "TupleType";
	constructor(elements, rest, isReadonly, annotations = {}) {
		this.elements = elements, this.rest = rest, this.isReadonly = isReadonly, this.annotations = annotations;
		let hasOptionalElement = !1, hasIllegalRequiredElement = !1;
		for (let e of elements) if (e.isOptional) hasOptionalElement = !0;
		else if (hasOptionalElement) {
			hasIllegalRequiredElement = !0;
			break;
		}
		if (hasIllegalRequiredElement || hasOptionalElement && rest.length > 1) throw Error(getASTRequiredElementFollowinAnOptionalElementErrorMessage);
	}
	toString() {
		return getOrElse(getExpected(this), () => formatTuple(this));
	}
	toJSON() {
		return {
			_tag: this._tag,
			elements: this.elements.map((e) => e.toJSON()),
			rest: this.rest.map((ast) => ast.toJSON()),
			isReadonly: this.isReadonly,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const formatTuple = (ast) => {
	let formattedElements = ast.elements.map(String).join(", ");
	return matchLeft(ast.rest, {
		onEmpty: () => `readonly [${formattedElements}]`,
		onNonEmpty: (head, tail) => {
			let formattedHead = String(head), wrappedHead = formattedHead.includes(" | ") ? `(${formattedHead})` : formattedHead;
			if (tail.length > 0) {
				let formattedTail = tail.map(String).join(", ");
				return ast.elements.length > 0 ? `readonly [${formattedElements}, ...${wrappedHead}[], ${formattedTail}]` : `readonly [...${wrappedHead}[], ${formattedTail}]`;
			}
			return ast.elements.length > 0 ? `readonly [${formattedElements}, ...${wrappedHead}[]]` : `ReadonlyArray<${formattedHead}>`;
		}
	});
};
var PropertySignature = class extends OptionalType {
	name;
	isReadonly;
	constructor(name, type, isOptional, isReadonly, annotations) {
		super(type, isOptional, annotations), this.name = name, this.isReadonly = isReadonly;
	}
	toString() {
		return (this.isReadonly ? "readonly " : "") + String(this.name) + (this.isOptional ? "?" : "") + ": " + this.type;
	}
	toJSON() {
		return {
			name: String(this.name),
			type: this.type.toJSON(),
			isOptional: this.isOptional,
			isReadonly: this.isReadonly,
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const isParameter = (ast) => {
	switch (ast._tag) {
		case "StringKeyword":
		case "SymbolKeyword":
		case "TemplateLiteral": return !0;
		case "Refinement": return isParameter(ast.from);
	}
	return !1;
};
var IndexSignature = class {
	type;
	isReadonly;
	parameter;
	constructor(parameter, type, isReadonly) {
		if (this.type = type, this.isReadonly = isReadonly, isParameter(parameter)) this.parameter = parameter;
		else throw Error(getASTIndexSignatureParameterErrorMessage);
	}
	toString() {
		return (this.isReadonly ? "readonly " : "") + `[x: ${this.parameter}]: ${this.type}`;
	}
	toJSON() {
		return {
			parameter: this.parameter.toJSON(),
			type: this.type.toJSON(),
			isReadonly: this.isReadonly
		};
	}
}, TypeLiteral = class {
	annotations;
	_tag = "TypeLiteral";
	propertySignatures;
	indexSignatures;
	constructor(propertySignatures, indexSignatures, annotations = {}) {
		this.annotations = annotations;
		let keys = {};
		for (let i = 0; i < propertySignatures.length; i++) {
			let name = propertySignatures[i].name;
			if (Object.prototype.hasOwnProperty.call(keys, name)) throw Error(getASTDuplicatePropertySignatureErrorMessage(name));
			keys[name] = null;
		}
		let parameters = {
			string: !1,
			symbol: !1
		};
		for (let i = 0; i < indexSignatures.length; i++) {
			let parameter = getParameterBase(indexSignatures[i].parameter);
			if (isStringKeyword(parameter)) {
				if (parameters.string) throw Error(getASTDuplicateIndexSignatureErrorMessage("string"));
				parameters.string = !0;
			} else if (isSymbolKeyword(parameter)) {
				if (parameters.symbol) throw Error(getASTDuplicateIndexSignatureErrorMessage("symbol"));
				parameters.symbol = !0;
			}
		}
		this.propertySignatures = propertySignatures, this.indexSignatures = indexSignatures;
	}
	toString() {
		return getOrElse(getExpected(this), () => formatTypeLiteral(this));
	}
	toJSON() {
		return {
			_tag: this._tag,
			propertySignatures: this.propertySignatures.map((ps) => ps.toJSON()),
			indexSignatures: this.indexSignatures.map((ps) => ps.toJSON()),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const formatIndexSignatures = (iss) => iss.map(String).join("; "), formatTypeLiteral = (ast) => {
	if (ast.propertySignatures.length > 0) {
		let pss = ast.propertySignatures.map(String).join("; ");
		return ast.indexSignatures.length > 0 ? `{ ${pss}; ${formatIndexSignatures(ast.indexSignatures)} }` : `{ ${pss} }`;
	}
	return ast.indexSignatures.length > 0 ? `{ ${formatIndexSignatures(ast.indexSignatures)} }` : "{}";
}, sortCandidates = sort(mapInput(Order$1, (ast) => {
	switch (ast._tag) {
		case "AnyKeyword": return 0;
		case "UnknownKeyword": return 1;
		case "ObjectKeyword": return 2;
		case "StringKeyword":
		case "NumberKeyword":
		case "BooleanKeyword":
		case "BigIntKeyword":
		case "SymbolKeyword": return 3;
	}
	return 4;
})), literalMap = {
	string: "StringKeyword",
	number: "NumberKeyword",
	boolean: "BooleanKeyword",
	bigint: "BigIntKeyword"
}, flatten$2 = (candidates) => flatMap$4(candidates, (ast) => isUnion(ast) ? flatten$2(ast.types) : [ast]), unify = (candidates) => {
	let cs = sortCandidates(candidates), out = [], uniques = {}, literals = [];
	for (let ast of cs) switch (ast._tag) {
		case "NeverKeyword": break;
		case "AnyKeyword": return [anyKeyword];
		case "UnknownKeyword": return [unknownKeyword];
		case "ObjectKeyword":
		case "UndefinedKeyword":
		case "VoidKeyword":
		case "StringKeyword":
		case "NumberKeyword":
		case "BooleanKeyword":
		case "BigIntKeyword":
		case "SymbolKeyword":
			uniques[ast._tag] || (uniques[ast._tag] = ast, out.push(ast));
			break;
		case "Literal": {
			let type = typeof ast.literal;
			switch (type) {
				case "string":
				case "number":
				case "bigint":
				case "boolean":
					!uniques[literalMap[type]] && !literals.includes(ast.literal) && (literals.push(ast.literal), out.push(ast));
					break;
				case "object": literals.includes(ast.literal) || (literals.push(ast.literal), out.push(ast));
			}
			break;
		}
		case "UniqueSymbol":
			!uniques.SymbolKeyword && !literals.includes(ast.symbol) && (literals.push(ast.symbol), out.push(ast));
			break;
		case "TupleType":
			uniques.ObjectKeyword || out.push(ast);
			break;
		case "TypeLiteral":
			ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0 ? uniques["{}"] || (uniques["{}"] = ast, out.push(ast)) : uniques.ObjectKeyword || out.push(ast);
			break;
		default: out.push(ast);
	}
	return out;
};
var Union$1 = class Union$1 {
	types;
	annotations;
	static make = (types, annotations) => isMembers(types) ? new Union$1(types, annotations) : types.length === 1 ? types[0] : neverKeyword;
	static unify = (candidates, annotations) => Union$1.make(unify(flatten$2(candidates)), annotations);
	_tag = "Union";
	constructor(types, annotations = {}) {
		this.types = types, this.annotations = annotations;
	}
	toString() {
		return getOrElse(getExpected(this), () => this.types.map(String).join(" | "));
	}
	toJSON() {
		return {
			_tag: this._tag,
			types: this.types.map((ast) => ast.toJSON()),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const mapMembers = (members, f) => members.map(f), isMembers = (as) => as.length > 1, isUnion = createASTGuard("Union"), toJSONMemoMap = globalValue(Symbol.for("@effect/schema/AST/toJSONMemoMap"), () => new WeakMap());
var Suspend = class {
	f;
	annotations;
	_tag = "Suspend";
	constructor(f, annotations = {}) {
		this.f = f, this.annotations = annotations, this.f = memoizeThunk(f);
	}
	toString() {
		return getExpected(this).pipe(orElse$3(() => flatMap$5(liftThrowable(this.f)(), (ast) => getExpected(ast))), getOrElse(() => "<suspended schema>"));
	}
	toJSON() {
		let ast = this.f(), out = toJSONMemoMap.get(ast);
		return out || (toJSONMemoMap.set(ast, { _tag: this._tag }), out = {
			_tag: this._tag,
			ast: ast.toJSON(),
			annotations: toJSONAnnotations(this.annotations)
		}, toJSONMemoMap.set(ast, out), out);
	}
}, Refinement$1 = class {
	from;
	filter;
	annotations;
	_tag = "Refinement";
	constructor(from, filter, annotations = {}) {
		this.from = from, this.filter = filter, this.annotations = annotations;
	}
	toString() {
		return getOrElse(getExpected(this), () => `{ ${this.from} | filter }`);
	}
	toJSON() {
		return {
			_tag: this._tag,
			from: this.from.toJSON(),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const isRefinement$1 = createASTGuard("Refinement"), defaultParseOption = {};
var Transformation$1 = class {
	from;
	to;
	transformation;
	annotations;
	_tag = "Transformation";
	constructor(from, to, transformation, annotations = {}) {
		this.from = from, this.to = to, this.transformation = transformation, this.annotations = annotations;
	}
	toString() {
		return getOrElse(getExpected(this), () => `(${String(this.from)} <-> ${String(this.to)})`);
	}
	toJSON() {
		return {
			_tag: this._tag,
			from: this.from.toJSON(),
			to: this.to.toJSON(),
			annotations: toJSONAnnotations(this.annotations)
		};
	}
};
const isTransformation$1 = createASTGuard("Transformation");
var FinalTransformation = class {
	decode;
	encode;
	_tag = "FinalTransformation";
	constructor(decode, encode) {
		this.decode = decode, this.encode = encode;
	}
}, PropertySignatureTransformation$1 = class {
	from;
	to;
	decode;
	encode;
	constructor(from, to, decode, encode) {
		this.from = from, this.to = to, this.decode = decode, this.encode = encode;
	}
}, TypeLiteralTransformation = class {
	propertySignatureTransformations;
	_tag = "TypeLiteralTransformation";
	constructor(propertySignatureTransformations) {
		this.propertySignatureTransformations = propertySignatureTransformations;
		let fromKeys = {}, toKeys = {};
		for (let pst of propertySignatureTransformations) {
			let from = pst.from;
			if (fromKeys[from]) throw Error(getASTDuplicatePropertySignatureTransformationErrorMessage(from));
			fromKeys[from] = !0;
			let to = pst.to;
			if (toKeys[to]) throw Error(getASTDuplicatePropertySignatureTransformationErrorMessage(to));
			toKeys[to] = !0;
		}
	}
};
const annotations = (ast, annotations) => {
	let d = Object.getOwnPropertyDescriptors(ast);
	return d.annotations.value = {
		...ast.annotations,
		...annotations
	}, Object.create(Object.getPrototypeOf(ast), d);
}, getTemplateLiteralRegExp = (ast) => {
	let pattern = `^${escape(ast.head)}`;
	for (let span of ast.spans) isStringKeyword(span.type) ? pattern += ".*" : isNumberKeyword(span.type) && (pattern += "[+-]?\\d*\\.?\\d+(?:[Ee][+-]?\\d+)?"), pattern += escape(span.literal);
	return pattern += "$", new RegExp(pattern);
}, record = (key, value) => {
	let propertySignatures = [], indexSignatures = [], go = (key) => {
		switch (key._tag) {
			case "NeverKeyword": break;
			case "StringKeyword":
			case "SymbolKeyword":
			case "TemplateLiteral":
			case "Refinement":
				indexSignatures.push(new IndexSignature(key, value, !0));
				break;
			case "Literal":
				if (isString(key.literal) || isNumber(key.literal)) propertySignatures.push(new PropertySignature(key.literal, value, !1, !0));
				else throw Error(getASTUnsupportedLiteral(key.literal));
				break;
			case "Enums":
				for (let [_, name] of key.enums) propertySignatures.push(new PropertySignature(name, value, !1, !0));
				break;
			case "UniqueSymbol":
				propertySignatures.push(new PropertySignature(key.symbol, value, !1, !0));
				break;
			case "Union":
				key.types.forEach(go);
				break;
			default: throw Error(getASTUnsupportedKeySchema(key));
		}
	};
	return go(key), {
		propertySignatures,
		indexSignatures
	};
}, typeAST = (ast) => {
	switch (ast._tag) {
		case "Declaration": {
			let typeParameters = changeMap(ast.typeParameters, typeAST);
			return typeParameters === ast.typeParameters ? ast : new Declaration(typeParameters, ast.decodeUnknown, ast.encodeUnknown, ast.annotations);
		}
		case "TupleType": {
			let elements = changeMap(ast.elements, (e) => {
				let type = typeAST(e.type);
				return type === e.type ? e : new OptionalType(type, e.isOptional);
			}), restASTs = getRestASTs(ast.rest), rest = changeMap(restASTs, typeAST);
			return elements === ast.elements && rest === restASTs ? ast : new TupleType(elements, rest.map((type) => new Type$1(type)), ast.isReadonly, ast.annotations);
		}
		case "TypeLiteral": {
			let propertySignatures = changeMap(ast.propertySignatures, (p) => {
				let type = typeAST(p.type);
				return type === p.type ? p : new PropertySignature(p.name, type, p.isOptional, p.isReadonly);
			}), indexSignatures = changeMap(ast.indexSignatures, (is) => {
				let type = typeAST(is.type);
				return type === is.type ? is : new IndexSignature(is.parameter, type, is.isReadonly);
			});
			return propertySignatures === ast.propertySignatures && indexSignatures === ast.indexSignatures ? ast : new TypeLiteral(propertySignatures, indexSignatures, ast.annotations);
		}
		case "Union": {
			let types = changeMap(ast.types, typeAST);
			return types === ast.types ? ast : Union$1.make(types, ast.annotations);
		}
		case "Suspend": return new Suspend(() => typeAST(ast.f()), ast.annotations);
		case "Refinement": {
			let from = typeAST(ast.from);
			return from === ast.from ? ast : new Refinement$1(from, ast.filter, ast.annotations);
		}
		case "Transformation": return typeAST(ast.to);
	}
	return ast;
}, getJSONIdentifier = (annotated) => orElse$3(getJSONIdentifierAnnotation(annotated), () => getIdentifierAnnotation(annotated)), createJSONIdentifierAnnotation = (annotated) => match$3(getJSONIdentifier(annotated), {
	onNone: () => void 0,
	onSome: (identifier) => ({ [JSONIdentifierAnnotationId]: identifier })
});
function changeMap(as, f) {
	let changed = !1, out = allocate(as.length);
	for (let i = 0; i < as.length; i++) {
		let a = as[i], fa = f(a);
		fa !== a && (changed = !0), out[i] = fa;
	}
	return changed ? out : as;
}
const encodedAST_ = (ast, isBound) => {
	switch (ast._tag) {
		case "Declaration": {
			let typeParameters = changeMap(ast.typeParameters, (ast) => encodedAST_(ast, isBound));
			return typeParameters === ast.typeParameters ? ast : new Declaration(typeParameters, ast.decodeUnknown, ast.encodeUnknown, ast.annotations);
		}
		case "TupleType": {
			let elements = changeMap(ast.elements, (e) => {
				let type = encodedAST_(e.type, isBound);
				return type === e.type ? e : new OptionalType(type, e.isOptional);
			}), restASTs = getRestASTs(ast.rest), rest = changeMap(restASTs, (ast) => encodedAST_(ast, isBound));
			return elements === ast.elements && rest === restASTs ? ast : new TupleType(elements, rest.map((ast) => new Type$1(ast)), ast.isReadonly, createJSONIdentifierAnnotation(ast));
		}
		case "TypeLiteral": {
			let propertySignatures = changeMap(ast.propertySignatures, (ps) => {
				let type = encodedAST_(ps.type, isBound);
				return type === ps.type ? ps : new PropertySignature(ps.name, type, ps.isOptional, ps.isReadonly);
			}), indexSignatures = changeMap(ast.indexSignatures, (is) => {
				let type = encodedAST_(is.type, isBound);
				return type === is.type ? is : new IndexSignature(is.parameter, type, is.isReadonly);
			});
			return propertySignatures === ast.propertySignatures && indexSignatures === ast.indexSignatures ? ast : new TypeLiteral(propertySignatures, indexSignatures, createJSONIdentifierAnnotation(ast));
		}
		case "Union": {
			let types = changeMap(ast.types, (ast) => encodedAST_(ast, isBound));
			return types === ast.types ? ast : Union$1.make(types, createJSONIdentifierAnnotation(ast));
		}
		case "Suspend": return new Suspend(() => encodedAST_(ast.f(), isBound), createJSONIdentifierAnnotation(ast));
		case "Refinement": {
			let from = encodedAST_(ast.from, isBound);
			if (isBound) {
				if (from === ast.from) return ast;
				if (!isTransformation$1(ast.from) && hasStableFilter(ast)) return new Refinement$1(from, ast.filter);
			}
			return from;
		}
		case "Transformation": return encodedAST_(ast.from, isBound);
	}
	return ast;
}, encodedAST = (ast) => encodedAST_(ast, !1), toJSONAnnotations = (annotations) => {
	let out = {};
	for (let k of Object.getOwnPropertySymbols(annotations)) out[String(k)] = annotations[k];
	return out;
}, getParameterBase = (ast) => {
	switch (ast._tag) {
		case "StringKeyword":
		case "SymbolKeyword":
		case "TemplateLiteral": return ast;
		case "Refinement": return getParameterBase(ast.from);
	}
}, formatKeyword = (ast) => getOrElse(getExpected(ast), () => ast._tag), getExpected = (ast) => getIdentifierAnnotation(ast).pipe(orElse$3(() => getTitleAnnotation(ast)), orElse$3(() => getDescriptionAnnotation(ast))), IntTypeId$1 = Symbol.for("@effect/schema/TypeId/Int"), BetweenTypeId$1 = Symbol.for("@effect/schema/TypeId/Between"), ArbitraryHookId = Symbol.for("@effect/schema/ArbitraryHookId"), TypeId$10 = Symbol.for("effect/Chunk");
function copy(src, srcPos, dest, destPos, len) {
	for (let i = srcPos; i < Math.min(src.length, srcPos + len); i++) dest[destPos + i - srcPos] = src[i];
	return dest;
}
const emptyArray = [], _equivalence$1 = ((isEquivalent) => make$26((self, that) => self.length === that.length && toReadonlyArray(self).every((value, i) => isEquivalent(value, unsafeGet$2(that, i)))))(equals$2), ChunkProto = {
	[TypeId$10]: { _A: (_) => _ },
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "Chunk",
			values: toReadonlyArray(this).map(toJSON)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	[symbol](that) {
		return isChunk(that) && _equivalence$1(this, that);
	},
	[symbol$1]() {
		return cached(this, array(toReadonlyArray(this)));
	},
	[Symbol.iterator]() {
		switch (this.backing._tag) {
			case "IArray": return this.backing.array[Symbol.iterator]();
			case "IEmpty": return emptyArray[Symbol.iterator]();
			default: return toReadonlyArray(this)[Symbol.iterator]();
		}
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, makeChunk = (backing) => {
	let chunk = Object.create(ChunkProto);
	switch (chunk.backing = backing, backing._tag) {
		case "IEmpty":
			chunk.length = 0, chunk.depth = 0, chunk.left = chunk, chunk.right = chunk;
			break;
		case "IConcat":
			chunk.length = backing.left.length + backing.right.length, chunk.depth = 1 + Math.max(backing.left.depth, backing.right.depth), chunk.left = backing.left, chunk.right = backing.right;
			break;
		case "IArray":
			chunk.length = backing.array.length, chunk.depth = 0, chunk.left = _empty$6, chunk.right = _empty$6;
			break;
		case "ISingleton":
			chunk.length = 1, chunk.depth = 0, chunk.left = _empty$6, chunk.right = _empty$6;
			break;
		case "ISlice": chunk.length = backing.length, chunk.depth = backing.chunk.depth + 1, chunk.left = _empty$6, chunk.right = _empty$6;
	}
	return chunk;
}, isChunk = (u) => hasProperty(u, TypeId$10), _empty$6 = makeChunk({ _tag: "IEmpty" }), empty$18 = () => _empty$6, make$23 = (...as) => unsafeFromNonEmptyArray(as), of$1 = (a) => makeChunk({
	_tag: "ISingleton",
	a
}), fromIterable$5 = (self) => isChunk(self) ? self : unsafeFromArray(fromIterable$6(self)), copyToArray = (self, array, initial) => {
	switch (self.backing._tag) {
		case "IArray":
			copy(self.backing.array, 0, array, initial, self.length);
			break;
		case "IConcat":
			copyToArray(self.left, array, initial), copyToArray(self.right, array, initial + self.left.length);
			break;
		case "ISingleton":
			array[initial] = self.backing.a;
			break;
		case "ISlice": {
			let i = 0, j = initial;
			for (; i < self.length;) array[j] = unsafeGet$2(self, i), i += 1, j += 1;
			break;
		}
	}
}, toReadonlyArray = (self) => {
	switch (self.backing._tag) {
		case "IEmpty": return emptyArray;
		case "IArray": return self.backing.array;
		default: {
			let arr = Array(self.length);
			return copyToArray(self, arr, 0), self.backing = {
				_tag: "IArray",
				array: arr
			}, self.left = _empty$6, self.right = _empty$6, self.depth = 0, arr;
		}
	}
}, reverse$1 = (self) => {
	switch (self.backing._tag) {
		case "IEmpty":
		case "ISingleton": return self;
		case "IArray": return makeChunk({
			_tag: "IArray",
			array: reverse$2(self.backing.array)
		});
		case "IConcat": return makeChunk({
			_tag: "IConcat",
			left: reverse$1(self.backing.right),
			right: reverse$1(self.backing.left)
		});
		case "ISlice": return unsafeFromArray(reverse$2(toReadonlyArray(self)));
	}
}, unsafeFromArray = (self) => self.length === 0 ? empty$18() : self.length === 1 ? of$1(self[0]) : makeChunk({
	_tag: "IArray",
	array: self
}), unsafeFromNonEmptyArray = (self) => unsafeFromArray(self), unsafeGet$2 = dual(2, (self, index) => {
	switch (self.backing._tag) {
		case "IEmpty": throw Error("Index out of bounds");
		case "ISingleton":
			if (index !== 0) throw Error("Index out of bounds");
			return self.backing.a;
		case "IArray":
			if (index >= self.length || index < 0) throw Error("Index out of bounds");
			return self.backing.array[index];
		case "IConcat": return index < self.left.length ? unsafeGet$2(self.left, index) : unsafeGet$2(self.right, index - self.left.length);
		case "ISlice": return unsafeGet$2(self.backing.chunk, index + self.backing.offset);
	}
}), append = dual(2, (self, a) => appendAll$1(self, of$1(a))), prepend$1 = dual(2, (self, elem) => appendAll$1(of$1(elem), self)), drop = dual(2, (self, n) => {
	if (n <= 0) return self;
	if (n >= self.length) return _empty$6;
	switch (self.backing._tag) {
		case "ISlice": return makeChunk({
			_tag: "ISlice",
			chunk: self.backing.chunk,
			offset: self.backing.offset + n,
			length: self.backing.length - n
		});
		case "IConcat": return n > self.left.length ? drop(self.right, n - self.left.length) : makeChunk({
			_tag: "IConcat",
			left: drop(self.left, n),
			right: self.right
		});
		default: return makeChunk({
			_tag: "ISlice",
			chunk: self,
			offset: n,
			length: self.length - n
		});
	}
}), appendAll$1 = dual(2, (self, that) => {
	if (self.backing._tag === "IEmpty") return that;
	if (that.backing._tag === "IEmpty") return self;
	let diff = that.depth - self.depth;
	if (Math.abs(diff) <= 1) return makeChunk({
		_tag: "IConcat",
		left: self,
		right: that
	});
	if (diff < -1) {
		if (self.left.depth >= self.right.depth) {
			let nr = appendAll$1(self.right, that);
			return makeChunk({
				_tag: "IConcat",
				left: self.left,
				right: nr
			});
		}
		{
			let nrr = appendAll$1(self.right.right, that);
			if (nrr.depth === self.depth - 3) {
				let nr = makeChunk({
					_tag: "IConcat",
					left: self.right.left,
					right: nrr
				});
				return makeChunk({
					_tag: "IConcat",
					left: self.left,
					right: nr
				});
			}
			{
				let nl = makeChunk({
					_tag: "IConcat",
					left: self.left,
					right: self.right.left
				});
				return makeChunk({
					_tag: "IConcat",
					left: nl,
					right: nrr
				});
			}
		}
	}
	if (that.right.depth >= that.left.depth) {
		let nl = appendAll$1(self, that.left);
		return makeChunk({
			_tag: "IConcat",
			left: nl,
			right: that.right
		});
	}
	{
		let nll = appendAll$1(self, that.left.left);
		if (nll.depth === that.depth - 3) {
			let nl = makeChunk({
				_tag: "IConcat",
				left: nll,
				right: that.left.right
			});
			return makeChunk({
				_tag: "IConcat",
				left: nl,
				right: that.right
			});
		}
		{
			let nr = makeChunk({
				_tag: "IConcat",
				left: that.left.right,
				right: that.right
			});
			return makeChunk({
				_tag: "IConcat",
				left: nll,
				right: nr
			});
		}
	}
}), isEmpty$3 = (self) => self.length === 0, isNonEmpty = (self) => self.length > 0, unsafeHead = (self) => unsafeGet$2(self, 0), headNonEmpty = unsafeHead, tailNonEmpty = (self) => drop(self, 1);
// node_modules/effect/dist/esm/internal/hashMap/bitwise.js
function popcount(x) {
	return x -= x >> 1 & 1431655765, x = (x & 858993459) + (x >> 2 & 858993459), x = x + (x >> 4) & 252645135, x += x >> 8, x += x >> 16, x & 127;
}
function hashFragment(shift, h) {
	return h >>> shift & 31;
}
function toBitmap(x) {
	return 1 << x;
}
function fromBitmap(bitmap, bit) {
	return popcount(bitmap & bit - 1);
}
// node_modules/effect/dist/esm/internal/stack.js
const make$22 = (value, previous) => ({
	value,
	previous
});
// node_modules/effect/dist/esm/internal/hashMap/array.js
function arrayUpdate(mutate, at, v, arr) {
	let out = arr;
	if (!mutate) {
		let len = arr.length;
		out = Array(len);
		for (let i = 0; i < len; ++i) out[i] = arr[i];
	}
	return out[at] = v, out;
}
function arraySpliceOut(mutate, at, arr) {
	let newLen = arr.length - 1, i = 0, g = 0, out = arr;
	if (mutate) i = g = at;
	else for (out = Array(newLen); i < at;) out[g++] = arr[i++];
	for (++i; i <= newLen;) out[g++] = arr[i++];
	return mutate && (out.length = newLen), out;
}
function arraySpliceIn(mutate, at, v, arr) {
	let len = arr.length;
	if (mutate) {
		let i = len;
		for (; i >= at;) arr[i--] = arr[i];
		return arr[at] = v, arr;
	}
	let i = 0, g = 0, out = Array(len + 1);
	for (; i < at;) out[g++] = arr[i++];
	for (out[at] = v; i < len;) out[++g] = arr[i++];
	return out;
}
// node_modules/effect/dist/esm/internal/hashMap/node.js
var EmptyNode = class EmptyNode {
	_tag = "EmptyNode";
	modify(edit, _shift, f, hash, key, size) {
		let v = f(none$4());
		return isNone(v) ? new EmptyNode() : (++size.value, new LeafNode(edit, hash, key, v));
	}
};
function isEmptyNode(a) {
	return isTagged(a, "EmptyNode");
}
function isLeafNode(node) {
	return isEmptyNode(node) || node._tag === "LeafNode" || node._tag === "CollisionNode";
}
function canEditNode(node, edit) {
	return !isEmptyNode(node) && edit === node.edit;
}
var LeafNode = class LeafNode {
	edit;
	hash;
	key;
	value;
	_tag = "LeafNode";
	constructor(edit, hash, key, value) {
		this.edit = edit, this.hash = hash, this.key = key, this.value = value;
	}
	modify(edit, shift, f, hash, key, size) {
		if (equals$2(key, this.key)) {
			let v = f(this.value);
			return v === this.value ? this : isNone(v) ? (--size.value, new EmptyNode()) : canEditNode(this, edit) ? (this.value = v, this) : new LeafNode(edit, hash, key, v);
		}
		let v = f(none$4());
		return isNone(v) ? this : (++size.value, mergeLeaves(edit, shift, this.hash, this, hash, new LeafNode(edit, hash, key, v)));
	}
}, CollisionNode = class CollisionNode {
	edit;
	hash;
	children;
	_tag = "CollisionNode";
	constructor(edit, hash, children) {
		this.edit = edit, this.hash = hash, this.children = children;
	}
	modify(edit, shift, f, hash, key, size) {
		if (hash === this.hash) {
			let canEdit = canEditNode(this, edit), list = this.updateCollisionList(canEdit, edit, this.hash, this.children, f, key, size);
			return list === this.children ? this : list.length > 1 ? new CollisionNode(edit, this.hash, list) : list[0];
		}
		let v = f(none$4());
		return isNone(v) ? this : (++size.value, mergeLeaves(edit, shift, this.hash, this, hash, new LeafNode(edit, hash, key, v)));
	}
	updateCollisionList(mutate, edit, hash, list, f, key, size) {
		let len = list.length;
		for (let i = 0; i < len; ++i) {
			let child = list[i];
			if ("key" in child && equals$2(key, child.key)) {
				let value = child.value, newValue = f(value);
				return newValue === value ? list : isNone(newValue) ? (--size.value, arraySpliceOut(mutate, i, list)) : arrayUpdate(mutate, i, new LeafNode(edit, hash, key, newValue), list);
			}
		}
		let newValue = f(none$4());
		return isNone(newValue) ? list : (++size.value, arrayUpdate(mutate, len, new LeafNode(edit, hash, key, newValue), list));
	}
}, IndexedNode = class IndexedNode {
	edit;
	mask;
	children;
	_tag = "IndexedNode";
	constructor(edit, mask, children) {
		this.edit = edit, this.mask = mask, this.children = children;
	}
	modify(edit, shift, f, hash, key, size) {
		let mask = this.mask, children = this.children, frag = hashFragment(shift, hash), bit = toBitmap(frag), indx = fromBitmap(mask, bit), exists = mask & bit, canEdit = canEditNode(this, edit);
		if (!exists) {
			let _newChild = new EmptyNode().modify(edit, shift + 5, f, hash, key, size);
			return _newChild ? children.length >= 16 ? expand(edit, frag, _newChild, mask, children) : new IndexedNode(edit, mask | bit, arraySpliceIn(canEdit, indx, _newChild, children)) : this;
		}
		let current = children[indx], child = current.modify(edit, shift + 5, f, hash, key, size);
		if (current === child) return this;
		let bitmap = mask, newChildren;
		if (isEmptyNode(child)) {
			if (bitmap &= ~bit, !bitmap) return new EmptyNode();
			if (children.length <= 2 && isLeafNode(children[indx ^ 1])) return children[indx ^ 1];
			newChildren = arraySpliceOut(canEdit, indx, children);
		} else newChildren = arrayUpdate(canEdit, indx, child, children);
		return canEdit ? (this.mask = bitmap, this.children = newChildren, this) : new IndexedNode(edit, bitmap, newChildren);
	}
}, ArrayNode = class ArrayNode {
	edit;
	size;
	children;
	_tag = "ArrayNode";
	constructor(edit, size, children) {
		this.edit = edit, this.size = size, this.children = children;
	}
	modify(edit, shift, f, hash, key, size) {
		let count = this.size, children = this.children, frag = hashFragment(shift, hash), child = children[frag], newChild = (child || new EmptyNode()).modify(edit, shift + 5, f, hash, key, size);
		if (child === newChild) return this;
		let canEdit = canEditNode(this, edit), newChildren;
		if (isEmptyNode(child) && !isEmptyNode(newChild)) ++count, newChildren = arrayUpdate(canEdit, frag, newChild, children);
		else if (!isEmptyNode(child) && isEmptyNode(newChild)) {
			if (--count, count <= 8) return pack(edit, count, frag, children);
			newChildren = arrayUpdate(canEdit, frag, new EmptyNode(), children);
		} else newChildren = arrayUpdate(canEdit, frag, newChild, children);
		return canEdit ? (this.size = count, this.children = newChildren, this) : new ArrayNode(edit, count, newChildren);
	}
};
function pack(edit, count, removed, elements) {
	let children = Array(count - 1), g = 0, bitmap = 0;
	for (let i = 0, len = elements.length; i < len; ++i) if (i !== removed) {
		let elem = elements[i];
		elem && !isEmptyNode(elem) && (children[g++] = elem, bitmap |= 1 << i);
	}
	return new IndexedNode(edit, bitmap, children);
}
function expand(edit, frag, child, bitmap, subNodes) {
	let arr = [], bit = bitmap, count = 0;
	for (let i = 0; bit; ++i) bit & 1 && (arr[i] = subNodes[count++]), bit >>>= 1;
	return arr[frag] = child, new ArrayNode(edit, count + 1, arr);
}
function mergeLeavesInner(edit, shift, h1, n1, h2, n2) {
	if (h1 === h2) return new CollisionNode(edit, h1, [n2, n1]);
	let subH1 = hashFragment(shift, h1), subH2 = hashFragment(shift, h2);
	if (subH1 === subH2) return (child) => new IndexedNode(edit, toBitmap(subH1) | toBitmap(subH2), [child]);
	{
		let children = subH1 < subH2 ? [n1, n2] : [n2, n1];
		return new IndexedNode(edit, toBitmap(subH1) | toBitmap(subH2), children);
	}
}
function mergeLeaves(edit, shift, h1, n1, h2, n2) {
	let stack, currentShift = shift;
	for (;;) {
		let res = mergeLeavesInner(edit, currentShift, h1, n1, h2, n2);
		if (typeof res == "function") stack = make$22(res, stack), currentShift += 5;
		else {
			let final = res;
			for (; stack != null;) final = stack.value(final), stack = stack.previous;
			return final;
		}
	}
}
// node_modules/effect/dist/esm/internal/hashMap.js
const HashMapSymbolKey = "effect/HashMap", HashMapTypeId = Symbol.for(HashMapSymbolKey), HashMapProto = {
	[HashMapTypeId]: HashMapTypeId,
	[Symbol.iterator]() {
		return new HashMapIterator(this, (k, v) => [k, v]);
	},
	[symbol$1]() {
		let hash$1 = hash(HashMapSymbolKey);
		for (let item of this) hash$1 ^= pipe(hash(item[0]), combine$5(hash(item[1])));
		return cached(this, hash$1);
	},
	[symbol](that) {
		if (isHashMap(that)) {
			if (that._size !== this._size) return !1;
			for (let item of this) {
				let elem = pipe(that, getHash(item[0], hash(item[0])));
				if (isNone(elem) || !equals$2(item[1], elem.value)) return !1;
			}
			return !0;
		}
		return !1;
	},
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "HashMap",
			values: Array.from(this).map(toJSON)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, makeImpl$1 = (editable, edit, root, size) => {
	let map = Object.create(HashMapProto);
	return map._editable = editable, map._edit = edit, map._root = root, map._size = size, map;
};
var HashMapIterator = class HashMapIterator {
	map;
	f;
	v;
	constructor(map, f) {
		this.map = map, this.f = f, this.v = visitLazy(this.map._root, this.f, void 0);
	}
	next() {
		if (isNone(this.v)) return {
			done: !0,
			value: void 0
		};
		let v0 = this.v.value;
		return this.v = applyCont(v0.cont), {
			done: !1,
			value: v0.value
		};
	}
	[Symbol.iterator]() {
		return new HashMapIterator(this.map, this.f);
	}
};
const applyCont = (cont) => cont ? visitLazyChildren(cont[0], cont[1], cont[2], cont[3], cont[4]) : none$4(), visitLazy = (node, f, cont = void 0) => {
	switch (node._tag) {
		case "LeafNode": return isSome(node.value) ? some({
			value: f(node.key, node.value.value),
			cont
		}) : applyCont(cont);
		case "CollisionNode":
		case "ArrayNode":
		case "IndexedNode": {
			let children = node.children;
			return visitLazyChildren(children.length, children, 0, f, cont);
		}
		default: return applyCont(cont);
	}
}, visitLazyChildren = (len, children, i, f, cont) => {
	for (; i < len;) {
		let child = children[i++];
		if (child && !isEmptyNode(child)) return visitLazy(child, f, [
			len,
			children,
			i,
			f,
			cont
		]);
	}
	return applyCont(cont);
}, _empty$5 = makeImpl$1(!1, 0, new EmptyNode(), 0), empty$17 = () => _empty$5, fromIterable$4 = (entries) => {
	let map = beginMutation$1(empty$17());
	for (let entry of entries) set$3(map, entry[0], entry[1]);
	return endMutation$1(map);
}, isHashMap = (u) => hasProperty(u, HashMapTypeId), isEmpty$2 = (self) => self && isEmptyNode(self._root), get$6 = dual(2, (self, key) => getHash(self, key, hash(key))), getHash = dual(3, (self, key, hash) => {
	let node = self._root, shift = 0;
	for (;;) switch (node._tag) {
		case "LeafNode": return equals$2(key, node.key) ? node.value : none$4();
		case "CollisionNode":
			if (hash === node.hash) {
				let children = node.children;
				for (let i = 0, len = children.length; i < len; ++i) {
					let child = children[i];
					if ("key" in child && equals$2(key, child.key)) return child.value;
				}
			}
			return none$4();
		case "IndexedNode": {
			let bit = toBitmap(hashFragment(shift, hash));
			if (node.mask & bit) {
				node = node.children[fromBitmap(node.mask, bit)], shift += 5;
				break;
			}
			return none$4();
		}
		case "ArrayNode":
			if (node = node.children[hashFragment(shift, hash)], node) {
				shift += 5;
				break;
			}
			return none$4();
		default: return none$4();
	}
}), has$3 = dual(2, (self, key) => isSome(getHash(self, key, hash(key)))), set$3 = dual(3, (self, key, value) => modifyAt$1(self, key, () => some(value))), setTree = dual(3, (self, newRoot, newSize) => self._editable ? (self._root = newRoot, self._size = newSize, self) : newRoot === self._root ? self : makeImpl$1(self._editable, self._edit, newRoot, newSize)), keys$1 = (self) => new HashMapIterator(self, (key) => key), size$2 = (self) => self._size, beginMutation$1 = (self) => makeImpl$1(!0, self._edit + 1, self._root, self._size), endMutation$1 = (self) => (self._editable = !1, self), modifyAt$1 = dual(3, (self, key, f) => modifyHash(self, key, hash(key), f)), modifyHash = dual(4, (self, key, hash, f) => {
	let size = { value: self._size }, newRoot = self._root.modify(self._editable ? self._edit : NaN, 0, f, hash, key, size);
	return pipe(self, setTree(newRoot, size.value));
}), remove$2 = dual(2, (self, key) => modifyAt$1(self, key, none$4)), map$4 = dual(2, (self, f) => reduce$5(self, empty$17(), (map, value, key) => set$3(map, key, f(value, key)))), forEach$3 = dual(2, (self, f) => reduce$5(self, void 0, (_, value, key) => f(value, key))), reduce$5 = dual(3, (self, zero, f) => {
	let root = self._root;
	if (root._tag === "LeafNode") return isSome(root.value) ? f(zero, root.value.value, root.key) : zero;
	if (root._tag === "EmptyNode") return zero;
	let toVisit = [root.children], children;
	for (; children = toVisit.pop();) for (let i = 0, len = children.length; i < len;) {
		let child = children[i++];
		child && !isEmptyNode(child) && (child._tag === "LeafNode" ? isSome(child.value) && (zero = f(zero, child.value.value, child.key)) : toVisit.push(child.children));
	}
	return zero;
}), HashSetSymbolKey = "effect/HashSet", HashSetTypeId = Symbol.for(HashSetSymbolKey), HashSetProto = {
	[HashSetTypeId]: HashSetTypeId,
	[Symbol.iterator]() {
		return keys$1(this._keyMap);
	},
	[symbol$1]() {
		return cached(this, combine$5(hash(this._keyMap))(hash(HashSetSymbolKey)));
	},
	[symbol](that) {
		return isHashSet(that) ? size$2(this._keyMap) === size$2(that._keyMap) && equals$2(this._keyMap, that._keyMap) : !1;
	},
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "HashSet",
			values: Array.from(this).map(toJSON)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, makeImpl = (keyMap) => {
	let set = Object.create(HashSetProto);
	return set._keyMap = keyMap, set;
}, isHashSet = (u) => hasProperty(u, HashSetTypeId), _empty$4 = makeImpl(empty$17()), empty$16 = () => _empty$4, fromIterable$3 = (elements) => {
	let set = beginMutation(empty$16());
	for (let value of elements) add$3(set, value);
	return endMutation(set);
}, make$21 = (...elements) => {
	let set = beginMutation(empty$16());
	for (let value of elements) add$3(set, value);
	return endMutation(set);
}, has$2 = dual(2, (self, value) => has$3(self._keyMap, value)), size$1 = (self) => size$2(self._keyMap), beginMutation = (self) => makeImpl(beginMutation$1(self._keyMap)), endMutation = (self) => (self._keyMap._editable = !1, self), mutate = dual(2, (self, f) => {
	let transient = beginMutation(self);
	return f(transient), endMutation(transient);
}), add$3 = dual(2, (self, value) => self._keyMap._editable ? (set$3(value, !0)(self._keyMap), self) : makeImpl(set$3(value, !0)(self._keyMap))), remove$1 = dual(2, (self, value) => self._keyMap._editable ? (remove$2(value)(self._keyMap), self) : makeImpl(remove$2(value)(self._keyMap))), difference$1 = dual(2, (self, that) => mutate(self, (set) => {
	for (let value of that) remove$1(set, value);
})), union$1 = dual(2, (self, that) => mutate(empty$16(), (set) => {
	forEach$2(self, (value) => add$3(set, value));
	for (let value of that) add$3(set, value);
})), forEach$2 = dual(2, (self, f) => forEach$3(self._keyMap, (_, k) => f(k))), reduce$4 = dual(3, (self, zero, f) => reduce$5(self._keyMap, zero, (z, _, a) => f(z, a))), empty$15 = empty$16, fromIterable$2 = fromIterable$3, make$20 = make$21, has$1 = has$2, size = size$1, add$2 = add$3, remove = remove$1, difference = difference$1, union = union$1, reduce$3 = reduce$4, OP_EMPTY$2 = "Empty", OP_FAIL$1 = "Fail", OP_INTERRUPT = "Interrupt", OP_PARALLEL$1 = "Parallel", OP_SEQUENTIAL$1 = "Sequential", ObjectGetOwnPropertyDescriptor = Object.getOwnPropertyDescriptor, ObjectPrototypeHasOwnProperty = Object.prototype.hasOwnProperty, ObjectIsExtensible = Object.isExtensible, canWriteStackTraceLimit = (() => {
	let desc = ObjectGetOwnPropertyDescriptor(Error, "stackTraceLimit");
	return desc === void 0 ? ObjectIsExtensible(Error) : ObjectPrototypeHasOwnProperty.call(desc, "writable") ? desc.writable === !0 : desc.set !== void 0;
})(), getStackTraceLimit = () => Error.stackTraceLimit, setStackTraceLimit = (value) => {
	canWriteStackTraceLimit && (Error.stackTraceLimit = value);
}, CauseSymbolKey = "effect/Cause", CauseTypeId = Symbol.for(CauseSymbolKey), variance$4 = { _E: (_) => _ }, proto$1 = {
	[CauseTypeId]: variance$4,
	[symbol$1]() {
		return pipe(hash(CauseSymbolKey), combine$5(hash(flattenCause(this))), cached(this));
	},
	[symbol](that) {
		return isCause(that) && causeEquals(this, that);
	},
	pipe() {
		return pipeArguments(this, arguments);
	},
	toJSON() {
		switch (this._tag) {
			case "Empty": return {
				_id: "Cause",
				_tag: this._tag
			};
			case "Die": return {
				_id: "Cause",
				_tag: this._tag,
				defect: toJSON(this.defect)
			};
			case "Interrupt": return {
				_id: "Cause",
				_tag: this._tag,
				fiberId: this.fiberId.toJSON()
			};
			case "Fail": return {
				_id: "Cause",
				_tag: this._tag,
				error: toJSON(this.error)
			};
			case "Sequential":
			case "Parallel": return {
				_id: "Cause",
				_tag: this._tag,
				left: toJSON(this.left),
				right: toJSON(this.right)
			};
		}
	},
	toString() {
		return pretty(this);
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
}, empty$14 = (() => {
	let o = Object.create(proto$1);
	return o._tag = OP_EMPTY$2, o;
})(), fail$2 = (error) => {
	let o = Object.create(proto$1);
	return o._tag = OP_FAIL$1, o.error = error, o;
}, die$1 = (defect) => {
	let o = Object.create(proto$1);
	return o._tag = "Die", o.defect = defect, o;
}, interrupt = (fiberId) => {
	let o = Object.create(proto$1);
	return o._tag = OP_INTERRUPT, o.fiberId = fiberId, o;
}, parallel$2 = (left, right) => {
	let o = Object.create(proto$1);
	return o._tag = OP_PARALLEL$1, o.left = left, o.right = right, o;
}, sequential$2 = (left, right) => {
	let o = Object.create(proto$1);
	return o._tag = OP_SEQUENTIAL$1, o.left = left, o.right = right, o;
}, isCause = (u) => hasProperty(u, CauseTypeId), isEmptyType = (self) => self._tag === OP_EMPTY$2, isEmpty$1 = (self) => self._tag === "Empty" || reduce$2(self, !0, (acc, cause) => {
	switch (cause._tag) {
		case OP_EMPTY$2: return some(acc);
		case "Die":
		case OP_FAIL$1:
		case OP_INTERRUPT: return some(!1);
		default: return none$4();
	}
}), isInterrupted = (self) => isSome(interruptOption(self)), isInterruptedOnly = (self) => reduceWithContext$1(void 0, IsInterruptedOnlyCauseReducer)(self), failures = (self) => reverse$1(reduce$2(self, empty$18(), (list, cause) => cause._tag === "Fail" ? some(pipe(list, prepend$1(cause.error))) : none$4())), defects = (self) => reverse$1(reduce$2(self, empty$18(), (list, cause) => cause._tag === "Die" ? some(pipe(list, prepend$1(cause.defect))) : none$4())), interruptors = (self) => reduce$2(self, empty$15(), (set, cause) => cause._tag === "Interrupt" ? some(pipe(set, add$2(cause.fiberId))) : none$4()), failureOption = (self) => find(self, (cause) => cause._tag === "Fail" ? some(cause.error) : none$4()), failureOrCause = (self) => {
	let option = failureOption(self);
	switch (option._tag) {
		case "None": return right(self);
		case "Some": return left(option.value);
	}
}, interruptOption = (self) => find(self, (cause) => cause._tag === "Interrupt" ? some(cause.fiberId) : none$4()), keepDefectsAndElectFailures = (self) => match$2(self, {
	onEmpty: none$4(),
	onFail: (failure) => some(die$1(failure)),
	onDie: (defect) => some(die$1(defect)),
	onInterrupt: () => none$4(),
	onSequential: mergeWith(sequential$2),
	onParallel: mergeWith(parallel$2)
}), stripFailures = (self) => match$2(self, {
	onEmpty: empty$14,
	onFail: () => empty$14,
	onDie: die$1,
	onInterrupt: interrupt,
	onSequential: sequential$2,
	onParallel: parallel$2
}), electFailures = (self) => match$2(self, {
	onEmpty: empty$14,
	onFail: die$1,
	onDie: die$1,
	onInterrupt: interrupt,
	onSequential: sequential$2,
	onParallel: parallel$2
}), causeEquals = (left, right) => {
	let leftStack = of$1(left), rightStack = of$1(right);
	for (; isNonEmpty(leftStack) && isNonEmpty(rightStack);) {
		let [leftParallel, leftSequential] = pipe(headNonEmpty(leftStack), reduce$2([empty$15(), empty$18()], ([parallel, sequential], cause) => {
			let [par, seq] = evaluateCause(cause);
			return some([pipe(parallel, union(par)), pipe(sequential, appendAll$1(seq))]);
		})), [rightParallel, rightSequential] = pipe(headNonEmpty(rightStack), reduce$2([empty$15(), empty$18()], ([parallel, sequential], cause) => {
			let [par, seq] = evaluateCause(cause);
			return some([pipe(parallel, union(par)), pipe(sequential, appendAll$1(seq))]);
		}));
		if (!equals$2(leftParallel, rightParallel)) return !1;
		leftStack = leftSequential, rightStack = rightSequential;
	}
	return !0;
}, flattenCause = (cause) => flattenCauseLoop(of$1(cause), empty$18()), flattenCauseLoop = (causes, flattened) => {
	for (;;) {
		let [parallel, sequential] = pipe(causes, reduce$6([empty$15(), empty$18()], ([parallel, sequential], cause) => {
			let [par, seq] = evaluateCause(cause);
			return [pipe(parallel, union(par)), pipe(sequential, appendAll$1(seq))];
		})), updated = size(parallel) > 0 ? pipe(flattened, prepend$1(parallel)) : flattened;
		if (isEmpty$3(sequential)) return reverse$1(updated);
		causes = sequential, flattened = updated;
	}
	throw Error(getBugErrorMessage("Cause.flattenCauseLoop"));
}, find = dual(2, (self, pf) => {
	let stack = [self];
	for (; stack.length > 0;) {
		let item = stack.pop(), option = pf(item);
		switch (option._tag) {
			case "None":
				switch (item._tag) {
					case OP_SEQUENTIAL$1:
					case OP_PARALLEL$1: stack.push(item.right), stack.push(item.left);
				}
				break;
			case "Some": return option;
		}
	}
	return none$4();
}), evaluateCause = (self) => {
	let cause = self, stack = [], _parallel = empty$15(), _sequential = empty$18();
	for (; cause !== void 0;) switch (cause._tag) {
		case OP_EMPTY$2:
			if (stack.length === 0) return [_parallel, _sequential];
			cause = stack.pop();
			break;
		case OP_FAIL$1:
			if (_parallel = add$2(_parallel, make$23(cause._tag, cause.error)), stack.length === 0) return [_parallel, _sequential];
			cause = stack.pop();
			break;
		case "Die":
			if (_parallel = add$2(_parallel, make$23(cause._tag, cause.defect)), stack.length === 0) return [_parallel, _sequential];
			cause = stack.pop();
			break;
		case OP_INTERRUPT:
			if (_parallel = add$2(_parallel, make$23(cause._tag, cause.fiberId)), stack.length === 0) return [_parallel, _sequential];
			cause = stack.pop();
			break;
		case OP_SEQUENTIAL$1:
			switch (cause.left._tag) {
				case OP_EMPTY$2:
					cause = cause.right;
					break;
				case OP_SEQUENTIAL$1:
					cause = sequential$2(cause.left.left, sequential$2(cause.left.right, cause.right));
					break;
				case OP_PARALLEL$1:
					cause = parallel$2(sequential$2(cause.left.left, cause.right), sequential$2(cause.left.right, cause.right));
					break;
				default: _sequential = prepend$1(_sequential, cause.right), cause = cause.left;
			}
			break;
		case OP_PARALLEL$1: stack.push(cause.right), cause = cause.left;
	}
	throw Error(getBugErrorMessage("Cause.evaluateCauseLoop"));
}, IsInterruptedOnlyCauseReducer = {
	emptyCase: constTrue,
	failCase: constFalse,
	dieCase: constFalse,
	interruptCase: constTrue,
	sequentialCase: (_, left, right) => left && right,
	parallelCase: (_, left, right) => left && right
}, OP_SEQUENTIAL_CASE = "SequentialCase", OP_PARALLEL_CASE = "ParallelCase", match$2 = dual(2, (self, { onDie, onEmpty, onFail, onInterrupt, onParallel, onSequential }) => reduceWithContext$1(self, void 0, {
	emptyCase: () => onEmpty,
	failCase: (_, error) => onFail(error),
	dieCase: (_, defect) => onDie(defect),
	interruptCase: (_, fiberId) => onInterrupt(fiberId),
	sequentialCase: (_, left, right) => onSequential(left, right),
	parallelCase: (_, left, right) => onParallel(left, right)
})), reduce$2 = dual(3, (self, zero, pf) => {
	let accumulator = zero, cause = self, causes = [];
	for (; cause !== void 0;) {
		let option = pf(accumulator, cause);
		switch (accumulator = isSome(option) ? option.value : accumulator, cause._tag) {
			case OP_SEQUENTIAL$1:
				causes.push(cause.right), cause = cause.left;
				break;
			case OP_PARALLEL$1:
				causes.push(cause.right), cause = cause.left;
				break;
			default: cause = void 0;
		}
		cause === void 0 && causes.length > 0 && (cause = causes.pop());
	}
	return accumulator;
}), reduceWithContext$1 = dual(3, (self, context, reducer) => {
	let input = [self], output = [];
	for (; input.length > 0;) {
		let cause = input.pop();
		switch (cause._tag) {
			case OP_EMPTY$2:
				output.push(right(reducer.emptyCase(context)));
				break;
			case OP_FAIL$1:
				output.push(right(reducer.failCase(context, cause.error)));
				break;
			case "Die":
				output.push(right(reducer.dieCase(context, cause.defect)));
				break;
			case OP_INTERRUPT:
				output.push(right(reducer.interruptCase(context, cause.fiberId)));
				break;
			case OP_SEQUENTIAL$1:
				input.push(cause.right), input.push(cause.left), output.push(left({ _tag: OP_SEQUENTIAL_CASE }));
				break;
			case OP_PARALLEL$1: input.push(cause.right), input.push(cause.left), output.push(left({ _tag: OP_PARALLEL_CASE }));
		}
	}
	let accumulator = [];
	for (; output.length > 0;) {
		let either = output.pop();
		switch (either._tag) {
			case "Left":
				switch (either.left._tag) {
					case OP_SEQUENTIAL_CASE: {
						let left = accumulator.pop(), right = accumulator.pop(), value = reducer.sequentialCase(context, left, right);
						accumulator.push(value);
						break;
					}
					case OP_PARALLEL_CASE: {
						let left = accumulator.pop(), right = accumulator.pop(), value = reducer.parallelCase(context, left, right);
						accumulator.push(value);
						break;
					}
				}
				break;
			case "Right": accumulator.push(either.right);
		}
	}
	if (accumulator.length === 0) throw Error("BUG: Cause.reduceWithContext - please report an issue at https://github.com/Effect-TS/effect/issues");
	return accumulator.pop();
}), pretty = (cause, options) => isInterruptedOnly(cause) ? "All fibers interrupted without errors." : prettyErrors(cause).map(function(e) {
	return options?.renderErrorCause !== !0 || e.cause === void 0 ? e.stack : `${e.stack} {\n${renderErrorCause(e.cause, "  ")}\n}`;
}).join("\n"), renderErrorCause = (cause, prefix) => {
	let lines = cause.stack.split("\n"), stack = `${prefix}[cause]: ${lines[0]}`;
	for (let i = 1, len = lines.length; i < len; i++) stack += `\n${prefix}${lines[i]}`;
	return cause.cause && (stack += ` {\n${renderErrorCause(cause.cause, `${prefix}  `)}\n${prefix}}`), stack;
}, makePrettyError = (originalError) => {
	let originalErrorIsObject = typeof originalError == "object" && !!originalError, prevLimit = getStackTraceLimit();
	setStackTraceLimit(1);
	let error = Error(prettyErrorMessage(originalError), originalErrorIsObject && "cause" in originalError && originalError.cause !== void 0 ? { cause: makePrettyError(originalError.cause) } : void 0);
	return setStackTraceLimit(prevLimit), error.message === "" && (error.message = "An error has occurred"), setStackTraceLimit(prevLimit), error.name = originalError instanceof Error ? originalError.name : "Error", originalErrorIsObject && (spanSymbol in originalError && (error.span = originalError[spanSymbol]), Object.keys(originalError).forEach((key) => {
		key in error || (error[key] = originalError[key]);
	})), error.stack = prettyErrorStack(`${error.name}: ${error.message}`, originalError instanceof Error && originalError.stack ? originalError.stack : "", error.span), error;
}, prettyErrorMessage = (u) => {
	if (typeof u == "string") return u;
	if (typeof u == "object" && u && u instanceof Error) return u.message;
	try {
		if (hasProperty(u, "toString") && isFunction(u.toString) && u.toString !== Object.prototype.toString && u.toString !== globalThis.Array.prototype.toString) return u.toString();
	} catch {}
	return stringifyCircular(u);
}, locationRegex = /\((.*)\)/g, spanToTrace = globalValue("effect/Tracer/spanToTrace", () => new WeakMap()), prettyErrorStack = (message, stack, span) => {
	let out = [message], lines = stack.startsWith(message) ? stack.slice(message.length).split("\n") : stack.split("\n");
	for (let i = 1; i < lines.length; i++) if (lines[i].includes(" at new BaseEffectError") || lines[i].includes(" at new YieldableError")) i++;
	else {
		if (lines[i].includes("Generator.next") || lines[i].includes("effect_internal_function")) break;
		out.push(lines[i].replace(/at .*effect_instruction_i.*\((.*)\)/, "at $1").replace(/EffectPrimitive\.\w+/, "<anonymous>"));
	}
	if (span) {
		let current = span, i = 0;
		for (; current && current._tag === "Span" && i < 10;) {
			let stackFn = spanToTrace.get(current);
			if (typeof stackFn == "function") {
				let stack = stackFn();
				if (typeof stack == "string") {
					let locationMatchAll = stack.matchAll(locationRegex), match = !1;
					for (let [, location] of locationMatchAll) match = !0, out.push(`    at ${current.name} (${location})`);
					match || out.push(`    at ${current.name} (${stack.replace(/^at /, "")})`);
				} else out.push(`    at ${current.name}`);
			} else out.push(`    at ${current.name}`);
			current = getOrUndefined(current.parent), i++;
		}
	}
	return out.join("\n");
}, spanSymbol = Symbol.for("effect/SpanAnnotation"), prettyErrors = (cause) => reduceWithContext$1(cause, void 0, {
	emptyCase: () => [],
	dieCase: (_, unknownError) => [makePrettyError(unknownError)],
	failCase: (_, error) => [makePrettyError(error)],
	interruptCase: () => [],
	parallelCase: (_, l, r) => [...l, ...r],
	sequentialCase: (_, l, r) => [...l, ...r]
}), TagTypeId = Symbol.for("effect/Context/Tag"), ReferenceTypeId = Symbol.for("effect/Context/Reference"), STMTypeId = Symbol.for("effect/STM"), TagProto = {
	...EffectPrototype$1,
	_op: "Tag",
	[STMTypeId]: effectVariance,
	[TagTypeId]: {
		_Service: (_) => _,
		_Identifier: (_) => _
	},
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "Tag",
			key: this.key,
			stack: this.stack
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	of(self) {
		return self;
	},
	context(self) {
		return make$19(this, self);
	}
}, ReferenceProto = {
	...TagProto,
	[ReferenceTypeId]: ReferenceTypeId
}, makeGenericTag = (key) => {
	let limit = getStackTraceLimit();
	setStackTraceLimit(2);
	let creationError = Error();
	setStackTraceLimit(limit);
	let tag = Object.create(TagProto);
	return Object.defineProperty(tag, "stack", { get() {
		return creationError.stack;
	} }), tag.key = key, tag;
}, Reference$1 = () => (id, options) => {
	let limit = getStackTraceLimit();
	setStackTraceLimit(2);
	let creationError = Error();
	setStackTraceLimit(limit);
	function ReferenceClass() {}
	return Object.setPrototypeOf(ReferenceClass, ReferenceProto), ReferenceClass.key = id, ReferenceClass.defaultValue = options.defaultValue, Object.defineProperty(ReferenceClass, "stack", { get() {
		return creationError.stack;
	} }), ReferenceClass;
}, TypeId$9 = Symbol.for("effect/Context"), ContextProto = {
	[TypeId$9]: { _Services: (_) => _ },
	[symbol](that) {
		if (isContext(that) && this.unsafeMap.size === that.unsafeMap.size) {
			for (let k of this.unsafeMap.keys()) if (!that.unsafeMap.has(k) || !equals$2(this.unsafeMap.get(k), that.unsafeMap.get(k))) return !1;
			return !0;
		}
		return !1;
	},
	[symbol$1]() {
		return cached(this, number$1(this.unsafeMap.size));
	},
	pipe() {
		return pipeArguments(this, arguments);
	},
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "Context",
			services: Array.from(this.unsafeMap).map(toJSON)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
}, makeContext = (unsafeMap) => {
	let context = Object.create(ContextProto);
	return context.unsafeMap = unsafeMap, context;
}, serviceNotFoundError = (tag) => {
	let error = Error(`Service not found${tag.key ? `: ${String(tag.key)}` : ""}`);
	if (tag.stack) {
		let lines = tag.stack.split("\n");
		if (lines.length > 2) {
			let afterAt = lines[2].match(/at (.*)/);
			afterAt && (error.message += ` (defined at ${afterAt[1]})`);
		}
	}
	if (error.stack) {
		let lines = error.stack.split("\n");
		lines.splice(1, 3), error.stack = lines.join("\n");
	}
	return error;
}, isContext = (u) => hasProperty(u, TypeId$9), isReference = (u) => hasProperty(u, ReferenceTypeId), _empty$3 = makeContext(new Map()), empty$13 = () => _empty$3, make$19 = (tag, service) => makeContext(new Map([[tag.key, service]])), add$1 = dual(3, (self, tag, service) => {
	let map = new Map(self.unsafeMap);
	return map.set(tag.key, service), makeContext(map);
}), defaultValueCache = globalValue("effect/Context/defaultValueCache", () => new Map()), getDefaultValue = (tag) => {
	if (defaultValueCache.has(tag.key)) return defaultValueCache.get(tag.key);
	let value = tag.defaultValue();
	return defaultValueCache.set(tag.key, value), value;
}, unsafeGetReference = (self, tag) => self.unsafeMap.has(tag.key) ? self.unsafeMap.get(tag.key) : getDefaultValue(tag), unsafeGet$1 = dual(2, (self, tag) => {
	if (!self.unsafeMap.has(tag.key)) {
		if (ReferenceTypeId in tag) return getDefaultValue(tag);
		throw serviceNotFoundError(tag);
	}
	return self.unsafeMap.get(tag.key);
}), get$5 = unsafeGet$1, getOption$1 = dual(2, (self, tag) => self.unsafeMap.has(tag.key) ? some$1(self.unsafeMap.get(tag.key)) : isReference(tag) ? some$1(getDefaultValue(tag)) : none$5), merge$2 = dual(2, (self, that) => {
	let map = new Map(self.unsafeMap);
	for (let [tag, s] of that.unsafeMap) map.set(tag, s);
	return makeContext(map);
}), GenericTag = makeGenericTag, empty$12 = empty$13, make$18 = make$19, add = add$1, get$4 = get$5, unsafeGet = unsafeGet$1, getOption = getOption$1, merge$1 = merge$2, Reference = Reference$1, TypeId$8 = Symbol.for("effect/Duration"), bigint0$2 = BigInt(0), bigint24 = BigInt(24), bigint60 = BigInt(60), bigint1e3 = BigInt(1e3), bigint1e6 = BigInt(1e6), bigint1e9 = BigInt(1e9), DURATION_REGEX = /^(-?\d+(?:\.\d+)?)\s+(nanos?|micros?|millis?|seconds?|minutes?|hours?|days?|weeks?)$/, parseNanos = (input, scale) => input.includes(".") ? BigInt(Math.round(Number(input) * scale)) : BigInt(input) * BigInt(scale), decode = (input) => {
	if (isDuration(input)) return input;
	if (isNumber(input)) return millis(input);
	if (isBigInt(input)) return nanos(input);
	if (Array.isArray(input) && input.length === 2 && input.every(isNumber)) return input[0] === -Infinity || input[1] === -Infinity || Number.isNaN(input[0]) || Number.isNaN(input[1]) ? zero$1 : input[0] === Infinity || input[1] === Infinity ? infinity : nanos(BigInt(Math.round(input[0] * 1e9)) + BigInt(Math.round(input[1])));
	if (isString(input)) {
		let match = DURATION_REGEX.exec(input);
		if (match) {
			let [_, valueStr, unit] = match, value = Number(valueStr);
			switch (unit) {
				case "nano":
				case "nanos": return nanos(parseNanos(valueStr, 1));
				case "micro":
				case "micros": return nanos(parseNanos(valueStr, 1e3));
				case "milli":
				case "millis": return millis(value);
				case "second":
				case "seconds": return seconds(value);
				case "minute":
				case "minutes": return minutes(value);
				case "hour":
				case "hours": return hours(value);
				case "day":
				case "days": return days(value);
				case "week":
				case "weeks": return weeks(value);
			}
		}
	}
	throw Error("Invalid DurationInput");
}, zeroValue = {
	_tag: "Millis",
	millis: 0
}, infinityValue = { _tag: "Infinity" }, DurationProto = {
	[TypeId$8]: TypeId$8,
	[symbol$1]() {
		return cached(this, structure(this.value));
	},
	[symbol](that) {
		return isDuration(that) && equals$1(this, that);
	},
	toString() {
		return `Duration(${format$3(this)})`;
	},
	toJSON() {
		switch (this.value._tag) {
			case "Millis": return {
				_id: "Duration",
				_tag: "Millis",
				millis: this.value.millis
			};
			case "Nanos": return {
				_id: "Duration",
				_tag: "Nanos",
				hrtime: toHrTime(this)
			};
			case "Infinity": return {
				_id: "Duration",
				_tag: "Infinity"
			};
		}
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, make$17 = (input) => {
	let duration = Object.create(DurationProto);
	return duration.value = isNumber(input) ? isNaN(input) || input <= 0 ? zeroValue : Number.isFinite(input) ? Number.isInteger(input) ? {
		_tag: "Millis",
		millis: input
	} : {
		_tag: "Nanos",
		nanos: BigInt(Math.round(input * 1e6))
	} : infinityValue : input <= bigint0$2 ? zeroValue : {
		_tag: "Nanos",
		nanos: input
	}, duration;
}, isDuration = (u) => hasProperty(u, TypeId$8), isZero$1 = (self) => {
	switch (self.value._tag) {
		case "Millis": return self.value.millis === 0;
		case "Nanos": return self.value.nanos === bigint0$2;
		case "Infinity": return !1;
	}
}, zero$1 = make$17(0), infinity = make$17(Infinity), nanos = (nanos) => make$17(nanos), millis = (millis) => make$17(millis), seconds = (seconds) => make$17(seconds * 1e3), minutes = (minutes) => make$17(minutes * 6e4), hours = (hours) => make$17(hours * 36e5), days = (days) => make$17(days * 864e5), weeks = (weeks) => make$17(weeks * 6048e5), toMillis = (self) => match$1(self, {
	onMillis: (millis) => millis,
	onNanos: (nanos) => Number(nanos) / 1e6
}), unsafeToNanos = (self) => {
	let _self = decode(self);
	switch (_self.value._tag) {
		case "Infinity": throw Error("Cannot convert infinite duration to nanos");
		case "Nanos": return _self.value.nanos;
		case "Millis": return BigInt(Math.round(_self.value.millis * 1e6));
	}
}, toHrTime = (self) => {
	let _self = decode(self);
	switch (_self.value._tag) {
		case "Infinity": return [Infinity, 0];
		case "Nanos": return [Number(_self.value.nanos / bigint1e9), Number(_self.value.nanos % bigint1e9)];
		case "Millis": return [Math.floor(_self.value.millis / 1e3), Math.round(_self.value.millis % 1e3 * 1e6)];
	}
}, match$1 = dual(2, (self, options) => {
	let _self = decode(self);
	switch (_self.value._tag) {
		case "Nanos": return options.onNanos(_self.value.nanos);
		case "Infinity": return options.onMillis(Infinity);
		case "Millis": return options.onMillis(_self.value.millis);
	}
}), matchWith = dual(3, (self, that, options) => {
	let _self = decode(self), _that = decode(that);
	if (_self.value._tag === "Infinity" || _that.value._tag === "Infinity") return options.onMillis(toMillis(_self), toMillis(_that));
	if (_self.value._tag === "Nanos" || _that.value._tag === "Nanos") {
		let selfNanos = _self.value._tag === "Nanos" ? _self.value.nanos : BigInt(Math.round(_self.value.millis * 1e6)), thatNanos = _that.value._tag === "Nanos" ? _that.value.nanos : BigInt(Math.round(_that.value.millis * 1e6));
		return options.onNanos(selfNanos, thatNanos);
	}
	return options.onMillis(_self.value.millis, _that.value.millis);
}), Equivalence$1 = (self, that) => matchWith(self, that, {
	onMillis: (self, that) => self === that,
	onNanos: (self, that) => self === that
}), lessThanOrEqualTo = dual(2, (self, that) => matchWith(self, that, {
	onMillis: (self, that) => self <= that,
	onNanos: (self, that) => self <= that
})), greaterThanOrEqualTo$1 = dual(2, (self, that) => matchWith(self, that, {
	onMillis: (self, that) => self >= that,
	onNanos: (self, that) => self >= that
})), equals$1 = dual(2, (self, that) => Equivalence$1(decode(self), decode(that))), parts = (self) => {
	let duration = decode(self);
	if (duration.value._tag === "Infinity") return {
		days: Infinity,
		hours: Infinity,
		minutes: Infinity,
		seconds: Infinity,
		millis: Infinity,
		nanos: Infinity
	};
	let nanos = unsafeToNanos(duration), ms = nanos / bigint1e6, sec = ms / bigint1e3, min = sec / bigint60, hr = min / bigint60, days = hr / bigint24;
	return {
		days: Number(days),
		hours: Number(hr % bigint24),
		minutes: Number(min % bigint60),
		seconds: Number(sec % bigint60),
		millis: Number(ms % bigint1e3),
		nanos: Number(nanos % bigint1e6)
	};
}, format$3 = (self) => {
	let duration = decode(self);
	if (duration.value._tag === "Infinity") return "Infinity";
	if (isZero$1(duration)) return "0";
	let fragments = parts(duration), pieces = [];
	return fragments.days !== 0 && pieces.push(`${fragments.days}d`), fragments.hours !== 0 && pieces.push(`${fragments.hours}h`), fragments.minutes !== 0 && pieces.push(`${fragments.minutes}m`), fragments.seconds !== 0 && pieces.push(`${fragments.seconds}s`), fragments.millis !== 0 && pieces.push(`${fragments.millis}ms`), fragments.nanos !== 0 && pieces.push(`${fragments.nanos}ns`), pieces.join(" ");
}, TypeId$7 = Symbol.for("effect/MutableRef"), MutableRefProto = {
	[TypeId$7]: TypeId$7,
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "MutableRef",
			current: toJSON(this.current)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, make$16 = (value) => {
	let ref = Object.create(MutableRefProto);
	return ref.current = value, ref;
}, get$3 = (self) => self.current, set$2 = dual(2, (self, value) => (self.current = value, self)), FiberIdSymbolKey = "effect/FiberId", FiberIdTypeId = Symbol.for(FiberIdSymbolKey), OP_NONE = "None", OP_RUNTIME = "Runtime", emptyHash = string(`${FiberIdSymbolKey}-${OP_NONE}`);
var None$2 = class {
	[FiberIdTypeId] = FiberIdTypeId;
	_tag = OP_NONE;
	id = -1;
	startTimeMillis = -1;
	[symbol$1]() {
		return emptyHash;
	}
	[symbol](that) {
		return isFiberId$1(that) && that._tag === OP_NONE;
	}
	toString() {
		return format$4(this.toJSON());
	}
	toJSON() {
		return {
			_id: "FiberId",
			_tag: this._tag
		};
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
}, Runtime = class {
	id;
	startTimeMillis;
	[FiberIdTypeId] = FiberIdTypeId;
	_tag = OP_RUNTIME;
	constructor(id, startTimeMillis) {
		this.id = id, this.startTimeMillis = startTimeMillis;
	}
	[symbol$1]() {
		return cached(this, string(`${FiberIdSymbolKey}-${this._tag}-${this.id}-${this.startTimeMillis}`));
	}
	[symbol](that) {
		return isFiberId$1(that) && that._tag === OP_RUNTIME && this.id === that.id && this.startTimeMillis === that.startTimeMillis;
	}
	toString() {
		return format$4(this.toJSON());
	}
	toJSON() {
		return {
			_id: "FiberId",
			_tag: this._tag,
			id: this.id,
			startTimeMillis: this.startTimeMillis
		};
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
};
const none$3 = new None$2(), isFiberId$1 = (self) => hasProperty(self, FiberIdTypeId), ids = (self) => {
	switch (self._tag) {
		case OP_NONE: return empty$15();
		case OP_RUNTIME: return make$20(self.id);
		case "Composite": return pipe(ids(self.left), union(ids(self.right)));
	}
}, _fiberCounter = globalValue(Symbol.for("effect/Fiber/Id/_fiberCounter"), () => make$16(0)), threadName$1 = (self) => Array.from(ids(self)).map((n) => `#${n}`).join(","), unsafeMake$4 = () => {
	let id = get$3(_fiberCounter);
	return pipe(_fiberCounter, set$2(id + 1)), new Runtime(id, Date.now());
}, none$2 = none$3, threadName = threadName$1, unsafeMake$3 = unsafeMake$4, empty$11 = empty$17, fromIterable$1 = fromIterable$4, isEmpty = isEmpty$2, get$2 = get$6, set$1 = set$3, keys = keys$1, modifyAt = modifyAt$1, map$3 = map$4, reduce$1 = reduce$5, TypeId$6 = Symbol.for("effect/List"), toArray = (self) => fromIterable$6(self), _equivalence = ((isEquivalent) => mapInput$1(getEquivalence$2(isEquivalent), toArray))(equals$2), ConsProto = {
	[TypeId$6]: TypeId$6,
	_tag: "Cons",
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "List",
			_tag: "Cons",
			values: toArray(this).map(toJSON)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	[symbol](that) {
		return isList(that) && this._tag === that._tag && _equivalence(this, that);
	},
	[symbol$1]() {
		return cached(this, array(toArray(this)));
	},
	[Symbol.iterator]() {
		let done = !1, self = this;
		return {
			next() {
				if (done) return this.return();
				if (self._tag === "Nil") return done = !0, this.return();
				let value = self.head;
				return self = self.tail, {
					done,
					value
				};
			},
			return(value) {
				return done ||= !0, {
					done: !0,
					value
				};
			}
		};
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, makeCons = (head, tail) => {
	let cons = Object.create(ConsProto);
	return cons.head = head, cons.tail = tail, cons;
}, NilHash = string("Nil"), _Nil = Object.create({
	[TypeId$6]: TypeId$6,
	_tag: "Nil",
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "List",
			_tag: "Nil"
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	[symbol$1]() {
		return NilHash;
	},
	[symbol](that) {
		return isList(that) && this._tag === that._tag;
	},
	[Symbol.iterator]() {
		return { next() {
			return {
				done: !0,
				value: void 0
			};
		} };
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}), isList = (u) => hasProperty(u, TypeId$6), isNil = (self) => self._tag === "Nil", isCons = (self) => self._tag === "Cons", nil = () => _Nil, cons = (head, tail) => makeCons(head, tail), empty$10 = nil, of = (value) => makeCons(value, _Nil), appendAll = dual(2, (self, that) => prependAll(that, self)), prepend = dual(2, (self, element) => cons(element, self)), prependAll = dual(2, (self, prefix) => {
	if (isNil(self)) return prefix;
	if (isNil(prefix)) return self;
	{
		let result = makeCons(prefix.head, self), curr = result, that = prefix.tail;
		for (; !isNil(that);) {
			let temp = makeCons(that.head, self);
			curr.tail = temp, curr = temp, that = that.tail;
		}
		return result;
	}
}), reduce = dual(3, (self, zero, f) => {
	let acc = zero, these = self;
	for (; !isNil(these);) acc = f(acc, these.head), these = these.tail;
	return acc;
}), reverse = (self) => {
	let result = empty$10(), these = self;
	for (; !isNil(these);) result = prepend(result, these.head), these = these.tail;
	return result;
};
Array.prototype;
const Structural = function() {
	function Structural(args) {
		args && Object.assign(this, args);
	}
	return Structural.prototype = StructuralPrototype, Structural;
}(), ContextPatchTypeId = Symbol.for("effect/DifferContextPatch");
function variance$3(a) {
	return a;
}
const PatchProto$2 = {
	...Structural.prototype,
	[ContextPatchTypeId]: {
		_Value: variance$3,
		_Patch: variance$3
	}
}, _empty$2 = Object.create(Object.assign(Object.create(PatchProto$2), { _tag: "Empty" })), empty$9 = () => _empty$2, AndThenProto$2 = Object.assign(Object.create(PatchProto$2), { _tag: "AndThen" }), makeAndThen$2 = (first, second) => {
	let o = Object.create(AndThenProto$2);
	return o.first = first, o.second = second, o;
}, AddServiceProto = Object.assign(Object.create(PatchProto$2), { _tag: "AddService" }), makeAddService = (key, service) => {
	let o = Object.create(AddServiceProto);
	return o.key = key, o.service = service, o;
}, RemoveServiceProto = Object.assign(Object.create(PatchProto$2), { _tag: "RemoveService" }), makeRemoveService = (key) => {
	let o = Object.create(RemoveServiceProto);
	return o.key = key, o;
}, UpdateServiceProto = Object.assign(Object.create(PatchProto$2), { _tag: "UpdateService" }), makeUpdateService = (key, update) => {
	let o = Object.create(UpdateServiceProto);
	return o.key = key, o.update = update, o;
}, diff$6 = (oldValue, newValue) => {
	let missingServices = new Map(oldValue.unsafeMap), patch = empty$9();
	for (let [tag, newService] of newValue.unsafeMap.entries()) if (missingServices.has(tag)) {
		let old = missingServices.get(tag);
		missingServices.delete(tag), equals$2(old, newService) || (patch = combine$4(makeUpdateService(tag, () => newService))(patch));
	} else missingServices.delete(tag), patch = combine$4(makeAddService(tag, newService))(patch);
	for (let [tag] of missingServices.entries()) patch = combine$4(makeRemoveService(tag))(patch);
	return patch;
}, combine$4 = dual(2, (self, that) => makeAndThen$2(self, that)), patch$7 = dual(2, (self, context) => {
	if (self._tag === "Empty") return context;
	let wasServiceUpdated = !1, patches = of$1(self), updatedContext = new Map(context.unsafeMap);
	for (; isNonEmpty(patches);) {
		let head = headNonEmpty(patches), tail = tailNonEmpty(patches);
		switch (head._tag) {
			case "Empty":
				patches = tail;
				break;
			case "AddService":
				updatedContext.set(head.key, head.service), patches = tail;
				break;
			case "AndThen":
				patches = prepend$1(prepend$1(tail, head.second), head.first);
				break;
			case "RemoveService":
				updatedContext.delete(head.key), patches = tail;
				break;
			case "UpdateService": updatedContext.set(head.key, head.update(updatedContext.get(head.key))), wasServiceUpdated = !0, patches = tail;
		}
	}
	if (!wasServiceUpdated) return makeContext(updatedContext);
	let map = new Map();
	for (let [tag] of context.unsafeMap) updatedContext.has(tag) && (map.set(tag, updatedContext.get(tag)), updatedContext.delete(tag));
	for (let [tag, s] of updatedContext) map.set(tag, s);
	return makeContext(map);
}), HashSetPatchTypeId = Symbol.for("effect/DifferHashSetPatch");
function variance$2(a) {
	return a;
}
const PatchProto$1 = {
	...Structural.prototype,
	[HashSetPatchTypeId]: {
		_Value: variance$2,
		_Key: variance$2,
		_Patch: variance$2
	}
}, _empty$1 = Object.create(Object.assign(Object.create(PatchProto$1), { _tag: "Empty" })), empty$8 = () => _empty$1, AndThenProto$1 = Object.assign(Object.create(PatchProto$1), { _tag: "AndThen" }), makeAndThen$1 = (first, second) => {
	let o = Object.create(AndThenProto$1);
	return o.first = first, o.second = second, o;
}, AddProto = Object.assign(Object.create(PatchProto$1), { _tag: "Add" }), makeAdd = (value) => {
	let o = Object.create(AddProto);
	return o.value = value, o;
}, RemoveProto = Object.assign(Object.create(PatchProto$1), { _tag: "Remove" }), makeRemove = (value) => {
	let o = Object.create(RemoveProto);
	return o.value = value, o;
}, diff$5 = (oldValue, newValue) => {
	let [removed, patch] = reduce$3([oldValue, empty$8()], ([set, patch], value) => has$1(value)(set) ? [remove(value)(set), patch] : [set, combine$3(makeAdd(value))(patch)])(newValue);
	return reduce$3(patch, (patch, value) => combine$3(makeRemove(value))(patch))(removed);
}, combine$3 = dual(2, (self, that) => makeAndThen$1(self, that)), patch$6 = dual(2, (self, oldValue) => {
	if (self._tag === "Empty") return oldValue;
	let set = oldValue, patches = of$1(self);
	for (; isNonEmpty(patches);) {
		let head = headNonEmpty(patches), tail = tailNonEmpty(patches);
		switch (head._tag) {
			case "Empty":
				patches = tail;
				break;
			case "AndThen":
				patches = prepend$1(head.first)(prepend$1(head.second)(tail));
				break;
			case "Add":
				set = add$2(head.value)(set), patches = tail;
				break;
			case "Remove": set = remove(head.value)(set), patches = tail;
		}
	}
	return set;
}), ReadonlyArrayPatchTypeId = Symbol.for("effect/DifferReadonlyArrayPatch");
function variance$1(a) {
	return a;
}
const PatchProto = {
	...Structural.prototype,
	[ReadonlyArrayPatchTypeId]: {
		_Value: variance$1,
		_Patch: variance$1
	}
}, _empty = Object.create(Object.assign(Object.create(PatchProto), { _tag: "Empty" })), empty$7 = () => _empty, AndThenProto = Object.assign(Object.create(PatchProto), { _tag: "AndThen" }), makeAndThen = (first, second) => {
	let o = Object.create(AndThenProto);
	return o.first = first, o.second = second, o;
}, AppendProto = Object.assign(Object.create(PatchProto), { _tag: "Append" }), makeAppend = (values) => {
	let o = Object.create(AppendProto);
	return o.values = values, o;
}, SliceProto = Object.assign(Object.create(PatchProto), { _tag: "Slice" }), makeSlice = (from, until) => {
	let o = Object.create(SliceProto);
	return o.from = from, o.until = until, o;
}, UpdateProto = Object.assign(Object.create(PatchProto), { _tag: "Update" }), makeUpdate = (index, patch) => {
	let o = Object.create(UpdateProto);
	return o.index = index, o.patch = patch, o;
}, diff$4 = (options) => {
	let i = 0, patch = empty$7();
	for (; i < options.oldValue.length && i < options.newValue.length;) {
		let oldElement = options.oldValue[i], newElement = options.newValue[i], valuePatch = options.differ.diff(oldElement, newElement);
		equals$2(valuePatch, options.differ.empty) || (patch = combine$2(patch, makeUpdate(i, valuePatch))), i += 1;
	}
	return i < options.oldValue.length && (patch = combine$2(patch, makeSlice(0, i))), i < options.newValue.length && (patch = combine$2(patch, makeAppend(drop$1(i)(options.newValue)))), patch;
}, combine$2 = dual(2, (self, that) => makeAndThen(self, that)), patch$5 = dual(3, (self, oldValue, differ) => {
	if (self._tag === "Empty") return oldValue;
	let readonlyArray = oldValue.slice(), patches = of$2(self);
	for (; isNonEmptyArray(patches);) {
		let head = headNonEmpty$1(patches), tail = tailNonEmpty$1(patches);
		switch (head._tag) {
			case "Empty":
				patches = tail;
				break;
			case "AndThen":
				tail.unshift(head.first, head.second), patches = tail;
				break;
			case "Append":
				for (let value of head.values) readonlyArray.push(value);
				patches = tail;
				break;
			case "Slice":
				readonlyArray = readonlyArray.slice(head.from, head.until), patches = tail;
				break;
			case "Update": readonlyArray[head.index] = differ.patch(head.patch, readonlyArray[head.index]), patches = tail;
		}
	}
	return readonlyArray;
}), DifferProto = {
	[Symbol.for("effect/Differ")]: {
		_P: identity,
		_V: identity
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, make$15 = (params) => {
	let differ = Object.create(DifferProto);
	return differ.empty = params.empty, differ.diff = params.diff, differ.combine = params.combine, differ.patch = params.patch, differ;
}, environment = () => make$15({
	empty: empty$9(),
	combine: (first, second) => combine$4(second)(first),
	diff: (oldValue, newValue) => diff$6(oldValue, newValue),
	patch: (patch, oldValue) => patch$7(oldValue)(patch)
}), hashSet = () => make$15({
	empty: empty$8(),
	combine: (first, second) => combine$3(second)(first),
	diff: (oldValue, newValue) => diff$5(oldValue, newValue),
	patch: (patch, oldValue) => patch$6(oldValue)(patch)
}), readonlyArray = (differ) => make$15({
	empty: empty$7(),
	combine: (first, second) => combine$2(first, second),
	diff: (oldValue, newValue) => diff$4({
		oldValue,
		newValue,
		differ
	}),
	patch: (patch, oldValue) => patch$5(patch, oldValue, differ)
}), update$1 = () => updateWith((_, a) => a), updateWith = (f) => make$15({
	empty: identity,
	combine: (first, second) => first === identity ? second : second === identity ? first : (a) => second(first(a)),
	diff: (oldValue, newValue) => equals$2(oldValue, newValue) ? identity : constant(newValue),
	patch: (patch, oldValue) => f(oldValue, patch(oldValue))
}), active = (patch) => patch & 255, enabled = (patch) => patch >> 8 & 255, make$14 = (active, enabled) => (active & 255) + ((enabled & active & 255) << 8), empty$6 = make$14(0, 0), enable$2 = (flag) => make$14(flag, flag), disable$1 = (flag) => make$14(flag, 0), exclude$1 = dual(2, (self, flag) => make$14(active(self) & ~flag, enabled(self))), andThen = dual(2, (self, that) => self | that), invert = (n) => ~n >>> 0 & 255, cooperativeYielding = (self) => isEnabled(self, 32), enable$1 = dual(2, (self, flag) => self | flag), interruptible$2 = (self) => interruption(self) && !windDown(self), interruption = (self) => isEnabled(self, 1), isEnabled = dual(2, (self, flag) => (self & flag) !== 0), make$13 = (...flags) => flags.reduce((a, b) => a | b, 0), none$1 = make$13(0), runtimeMetrics = (self) => isEnabled(self, 4), windDown = (self) => isEnabled(self, 16), diff$3 = dual(2, (self, that) => make$14(self ^ that, that)), patch$4 = dual(2, (self, patch) => self & (invert(active(patch)) | enabled(patch)) | active(patch) & enabled(patch)), differ$1 = make$15({
	empty: empty$6,
	diff: (oldValue, newValue) => diff$3(oldValue, newValue),
	combine: (first, second) => andThen(second)(first),
	patch: (_patch, oldValue) => patch$4(oldValue, _patch)
}), enable = enable$2, disable = disable$1, exclude = exclude$1, par = (self, that) => ({
	_tag: "Par",
	left: self,
	right: that
}), seq = (self, that) => ({
	_tag: "Seq",
	left: self,
	right: that
}), flatten$1 = (self) => {
	let current = of(self), updated = empty$10();
	for (;;) {
		let [parallel, sequential] = reduce(current, [parallelCollectionEmpty(), empty$10()], ([parallel, sequential], blockedRequest) => {
			let [par, seq] = step$1(blockedRequest);
			return [parallelCollectionCombine(parallel, par), appendAll(sequential, seq)];
		});
		if (updated = merge(updated, parallel), isNil(sequential)) return reverse(updated);
		current = sequential;
	}
	throw Error("BUG: BlockedRequests.flatten - please report an issue at https://github.com/Effect-TS/effect/issues");
}, step$1 = (requests) => {
	let current = requests, parallel = parallelCollectionEmpty(), stack = empty$10(), sequential = empty$10();
	for (;;) switch (current._tag) {
		case "Empty":
			if (isNil(stack)) return [parallel, sequential];
			current = stack.head, stack = stack.tail;
			break;
		case "Par":
			stack = cons(current.right, stack), current = current.left;
			break;
		case "Seq": {
			let left = current.left, right = current.right;
			switch (left._tag) {
				case "Empty":
					current = right;
					break;
				case "Par": {
					let l = left.left, r = left.right;
					current = par(seq(l, right), seq(r, right));
					break;
				}
				case "Seq": {
					let l = left.left, r = left.right;
					current = seq(l, seq(r, right));
					break;
				}
				case "Single": current = left, sequential = cons(right, sequential);
			}
			break;
		}
		case "Single":
			if (parallel = parallelCollectionAdd(parallel, current), isNil(stack)) return [parallel, sequential];
			current = stack.head, stack = stack.tail;
	}
	throw Error("BUG: BlockedRequests.step - please report an issue at https://github.com/Effect-TS/effect/issues");
}, merge = (sequential, parallel) => {
	if (isNil(sequential)) return of(parallelCollectionToSequentialCollection(parallel));
	if (parallelCollectionIsEmpty(parallel)) return sequential;
	let seqHeadKeys = sequentialCollectionKeys(sequential.head), parKeys = parallelCollectionKeys(parallel);
	return seqHeadKeys.length === 1 && parKeys.length === 1 && equals$2(seqHeadKeys[0], parKeys[0]) ? cons(sequentialCollectionCombine(sequential.head, parallelCollectionToSequentialCollection(parallel)), sequential.tail) : cons(parallelCollectionToSequentialCollection(parallel), sequential);
}, RequestBlockParallelTypeId = Symbol.for("effect/RequestBlock/RequestBlockParallel"), parallelVariance = { _R: (_) => _ };
var ParallelImpl = class {
	map;
	[RequestBlockParallelTypeId] = parallelVariance;
	constructor(map) {
		this.map = map;
	}
};
const parallelCollectionEmpty = () => new ParallelImpl(empty$11()), parallelCollectionAdd = (self, blockedRequest) => new ParallelImpl(modifyAt(self.map, blockedRequest.dataSource, (_) => orElseSome(map$6(_, append(blockedRequest.blockedRequest)), () => of$1(blockedRequest.blockedRequest)))), parallelCollectionCombine = (self, that) => new ParallelImpl(reduce$1(self.map, that.map, (map, value, key) => set$1(map, key, match$3(get$2(map, key), {
	onNone: () => value,
	onSome: (other) => appendAll$1(value, other)
})))), parallelCollectionIsEmpty = (self) => isEmpty(self.map), parallelCollectionKeys = (self) => Array.from(keys(self.map)), parallelCollectionToSequentialCollection = (self) => sequentialCollectionMake(map$3(self.map, (x) => of$1(x))), SequentialCollectionTypeId = Symbol.for("effect/RequestBlock/RequestBlockSequential"), sequentialVariance = { _R: (_) => _ };
var SequentialImpl = class {
	map;
	[SequentialCollectionTypeId] = sequentialVariance;
	constructor(map) {
		this.map = map;
	}
};
const sequentialCollectionMake = (map) => new SequentialImpl(map), sequentialCollectionCombine = (self, that) => new SequentialImpl(reduce$1(that.map, self.map, (map, value, key) => set$1(map, key, match$3(get$2(map, key), {
	onNone: () => empty$18(),
	onSome: (a) => appendAll$1(a, value)
})))), sequentialCollectionKeys = (self) => Array.from(keys(self.map)), sequentialCollectionToChunk = (self) => Array.from(self.map), OP_STATE_PENDING = "Pending", OP_STATE_DONE = "Done", DeferredTypeId = Symbol.for("effect/Deferred"), deferredVariance = {
	_E: (_) => _,
	_A: (_) => _
}, pending = (joiners) => ({
	_tag: OP_STATE_PENDING,
	joiners
}), done$2 = (effect) => ({
	_tag: OP_STATE_DONE,
	effect
});
// node_modules/effect/dist/esm/internal/singleShotGen.js
var SingleShotGen = class SingleShotGen {
	self;
	called = !1;
	constructor(self) {
		this.self = self;
	}
	next(a) {
		return this.called ? {
			value: a,
			done: !0
		} : (this.called = !0, {
			value: this.self,
			done: !1
		});
	}
	return(a) {
		return {
			value: a,
			done: !0
		};
	}
	throw(e) {
		throw e;
	}
	[Symbol.iterator]() {
		return new SingleShotGen(this.self);
	}
};
// node_modules/effect/dist/esm/internal/core.js
const blocked = (blockedRequests, _continue) => {
	let effect = new EffectPrimitive("Blocked");
	return effect.effect_instruction_i0 = blockedRequests, effect.effect_instruction_i1 = _continue, effect;
}, runRequestBlock = (blockedRequests) => {
	let effect = new EffectPrimitive("RunBlocked");
	return effect.effect_instruction_i0 = blockedRequests, effect;
}, EffectTypeId = Symbol.for("effect/Effect");
var RevertFlags = class {
	patch;
	op;
	_op = OP_REVERT_FLAGS;
	constructor(patch, op) {
		this.patch = patch, this.op = op;
	}
}, EffectPrimitive = class {
	_op;
	effect_instruction_i0 = void 0;
	effect_instruction_i1 = void 0;
	effect_instruction_i2 = void 0;
	trace = void 0;
	[EffectTypeId] = effectVariance;
	constructor(_op) {
		this._op = _op;
	}
	[symbol](that) {
		return this === that;
	}
	[symbol$1]() {
		return cached(this, random(this));
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	toJSON() {
		return {
			_id: "Effect",
			_op: this._op,
			effect_instruction_i0: toJSON(this.effect_instruction_i0),
			effect_instruction_i1: toJSON(this.effect_instruction_i1),
			effect_instruction_i2: toJSON(this.effect_instruction_i2)
		};
	}
	toString() {
		return format$4(this.toJSON());
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	[Symbol.iterator]() {
		return new SingleShotGen(new YieldWrap(this));
	}
}, EffectPrimitiveFailure = class {
	_op;
	effect_instruction_i0 = void 0;
	effect_instruction_i1 = void 0;
	effect_instruction_i2 = void 0;
	trace = void 0;
	[EffectTypeId] = effectVariance;
	constructor(_op) {
		this._op = _op, this._tag = _op;
	}
	[symbol](that) {
		return exitIsExit(that) && that._op === "Failure" && equals$2(this.effect_instruction_i0, that.effect_instruction_i0);
	}
	[symbol$1]() {
		return pipe(string(this._tag), combine$5(hash(this.effect_instruction_i0)), cached(this));
	}
	get cause() {
		return this.effect_instruction_i0;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	toJSON() {
		return {
			_id: "Exit",
			_tag: this._op,
			cause: this.cause.toJSON()
		};
	}
	toString() {
		return format$4(this.toJSON());
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	[Symbol.iterator]() {
		return new SingleShotGen(new YieldWrap(this));
	}
}, EffectPrimitiveSuccess = class {
	_op;
	effect_instruction_i0 = void 0;
	effect_instruction_i1 = void 0;
	effect_instruction_i2 = void 0;
	trace = void 0;
	[EffectTypeId] = effectVariance;
	constructor(_op) {
		this._op = _op, this._tag = _op;
	}
	[symbol](that) {
		return exitIsExit(that) && that._op === "Success" && equals$2(this.effect_instruction_i0, that.effect_instruction_i0);
	}
	[symbol$1]() {
		return pipe(string(this._tag), combine$5(hash(this.effect_instruction_i0)), cached(this));
	}
	get value() {
		return this.effect_instruction_i0;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	toJSON() {
		return {
			_id: "Exit",
			_tag: this._op,
			value: toJSON(this.value)
		};
	}
	toString() {
		return format$4(this.toJSON());
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
	[Symbol.iterator]() {
		return new SingleShotGen(new YieldWrap(this));
	}
};
const isEffect$1 = (u) => hasProperty(u, EffectTypeId), withFiberRuntime = (withRuntime) => {
	let effect = new EffectPrimitive(OP_WITH_RUNTIME);
	return effect.effect_instruction_i0 = withRuntime, effect;
}, acquireUseRelease = dual(3, (acquire, use, release) => uninterruptibleMask$1((restore) => flatMap$3(acquire, (a) => flatMap$3(exit(suspend$1(() => restore(use(a)))), (exit) => suspend$1(() => release(a, exit)).pipe(matchCauseEffect$1({
	onFailure: (cause) => {
		switch (exit._tag) {
			case OP_FAILURE: return failCause$1(sequential$2(exit.effect_instruction_i0, cause));
			case OP_SUCCESS: return failCause$1(cause);
		}
	},
	onSuccess: () => exit
})))))), as = dual(2, (self, value) => flatMap$3(self, () => succeed$3(value))), asVoid = (self) => as(self, void 0), custom = function() {
	let wrapper = new EffectPrimitive(OP_COMMIT);
	switch (arguments.length) {
		case 2:
			wrapper.effect_instruction_i0 = arguments[0], wrapper.commit = arguments[1];
			break;
		case 3:
			wrapper.effect_instruction_i0 = arguments[0], wrapper.effect_instruction_i1 = arguments[1], wrapper.commit = arguments[2];
			break;
		case 4:
			wrapper.effect_instruction_i0 = arguments[0], wrapper.effect_instruction_i1 = arguments[1], wrapper.effect_instruction_i2 = arguments[2], wrapper.commit = arguments[3];
			break;
		default: throw Error(getBugErrorMessage("you're not supposed to end up here"));
	}
	return wrapper;
}, unsafeAsync = (register, blockingOn = none$2) => {
	let effect = new EffectPrimitive(OP_ASYNC), cancelerRef;
	return effect.effect_instruction_i0 = (resume) => {
		cancelerRef = register(resume);
	}, effect.effect_instruction_i1 = blockingOn, onInterrupt(effect, (_) => isEffect$1(cancelerRef) ? cancelerRef : void_$1);
}, asyncInterrupt = (register, blockingOn = none$2) => suspend$1(() => unsafeAsync(register, blockingOn)), async_ = (resume, blockingOn = none$2) => custom(resume, function() {
	let backingResume, pendingEffect;
	function proxyResume(effect) {
		backingResume ? backingResume(effect) : pendingEffect === void 0 && (pendingEffect = effect);
	}
	let effect = new EffectPrimitive(OP_ASYNC);
	effect.effect_instruction_i0 = (resume) => {
		backingResume = resume, pendingEffect && resume(pendingEffect);
	}, effect.effect_instruction_i1 = blockingOn;
	let cancelerRef, controllerRef;
	return this.effect_instruction_i0.length === 1 ? cancelerRef = internalCall(() => this.effect_instruction_i0(proxyResume)) : (controllerRef = new AbortController(), cancelerRef = internalCall(() => this.effect_instruction_i0(proxyResume, controllerRef.signal))), cancelerRef || controllerRef ? onInterrupt(effect, (_) => (controllerRef && controllerRef.abort(), cancelerRef ?? void_$1)) : effect;
}), catchAll$1 = dual(2, (self, f) => matchEffect$1(self, {
	onFailure: f,
	onSuccess: succeed$3
})), originalSymbol = Symbol.for("effect/OriginalAnnotation"), capture = (obj, span) => isSome(span) ? new Proxy(obj, {
	has(target, p) {
		return p === spanSymbol || p === originalSymbol || p in target;
	},
	get(target, p) {
		return p === spanSymbol ? span.value : p === originalSymbol ? obj : target[p];
	}
}) : obj, die = (defect) => isObject$1(defect) && !(spanSymbol in defect) ? withFiberRuntime((fiber) => failCause$1(die$1(capture(defect, currentSpanFromFiber(fiber))))) : failCause$1(die$1(defect)), dieMessage = (message) => failCauseSync(() => die$1(new RuntimeException(message))), either$1 = (self) => matchEffect$1(self, {
	onFailure: (e) => succeed$3(left(e)),
	onSuccess: (a) => succeed$3(right(a))
}), exit = (self) => matchCause(self, {
	onFailure: exitFailCause$1,
	onSuccess: exitSucceed$1
}), fail$1 = (error) => isObject$1(error) && !(spanSymbol in error) ? withFiberRuntime((fiber) => failCause$1(fail$2(capture(error, currentSpanFromFiber(fiber))))) : failCause$1(fail$2(error)), failSync = (evaluate) => flatMap$3(sync(evaluate), fail$1), failCause$1 = (cause) => {
	let effect = new EffectPrimitiveFailure(OP_FAILURE);
	return effect.effect_instruction_i0 = cause, effect;
}, failCauseSync = (evaluate) => flatMap$3(sync(evaluate), failCause$1), fiberId = withFiberRuntime((state) => succeed$3(state.id())), fiberIdWith = (f) => withFiberRuntime((state) => f(state.id())), flatMap$3 = dual(2, (self, f) => {
	let effect = new EffectPrimitive(OP_ON_SUCCESS);
	return effect.effect_instruction_i0 = self, effect.effect_instruction_i1 = f, effect;
}), step = (self) => {
	let effect = new EffectPrimitive("OnStep");
	return effect.effect_instruction_i0 = self, effect;
}, flatten = (self) => flatMap$3(self, identity), matchCause = dual(2, (self, options) => matchCauseEffect$1(self, {
	onFailure: (cause) => succeed$3(options.onFailure(cause)),
	onSuccess: (a) => succeed$3(options.onSuccess(a))
})), matchCauseEffect$1 = dual(2, (self, options) => {
	let effect = new EffectPrimitive(OP_ON_SUCCESS_AND_FAILURE);
	return effect.effect_instruction_i0 = self, effect.effect_instruction_i1 = options.onFailure, effect.effect_instruction_i2 = options.onSuccess, effect;
}), matchEffect$1 = dual(2, (self, options) => matchCauseEffect$1(self, {
	onFailure: (cause) => {
		if (defects(cause).length > 0) return failCause$1(electFailures(cause));
		let failures$1 = failures(cause);
		return failures$1.length > 0 ? options.onFailure(unsafeHead(failures$1)) : failCause$1(cause);
	},
	onSuccess: options.onSuccess
})), forEachSequential = dual(2, (self, f) => suspend$1(() => {
	let arr = fromIterable$6(self), ret = allocate(arr.length), i = 0;
	return as(whileLoop({
		while: () => i < arr.length,
		body: () => f(arr[i], i),
		step: (b) => {
			ret[i++] = b;
		}
	}), ret);
})), forEachSequentialDiscard = dual(2, (self, f) => suspend$1(() => {
	let arr = fromIterable$6(self), i = 0;
	return whileLoop({
		while: () => i < arr.length,
		body: () => f(arr[i], i),
		step: () => {
			i++;
		}
	});
})), interruptible$1 = (self) => {
	let effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
	return effect.effect_instruction_i0 = enable(1), effect.effect_instruction_i1 = () => self, effect;
}, map$2 = dual(2, (self, f) => flatMap$3(self, (a) => sync(() => f(a)))), mapBoth$2 = dual(2, (self, options) => matchEffect$1(self, {
	onFailure: (e) => failSync(() => options.onFailure(e)),
	onSuccess: (a) => sync(() => options.onSuccess(a))
})), mapError$2 = dual(2, (self, f) => matchCauseEffect$1(self, {
	onFailure: (cause) => {
		let either = failureOrCause(cause);
		switch (either._tag) {
			case "Left": return failSync(() => f(either.left));
			case "Right": return failCause$1(either.right);
		}
	},
	onSuccess: succeed$3
})), onExit$1 = dual(2, (self, cleanup) => uninterruptibleMask$1((restore) => matchCauseEffect$1(restore(self), {
	onFailure: (cause1) => {
		let result = exitFailCause$1(cause1);
		return matchCauseEffect$1(cleanup(result), {
			onFailure: (cause2) => exitFailCause$1(sequential$2(cause1, cause2)),
			onSuccess: () => result
		});
	},
	onSuccess: (success) => {
		let result = exitSucceed$1(success);
		return zipRight(cleanup(result), result);
	}
}))), onInterrupt = dual(2, (self, cleanup) => onExit$1(self, exitMatch({
	onFailure: (cause) => isInterruptedOnly(cause) ? asVoid(cleanup(interruptors(cause))) : void_$1,
	onSuccess: () => void_$1
}))), orElse$2 = dual(2, (self, that) => attemptOrElse(self, that, succeed$3)), succeed$3 = (value) => {
	let effect = new EffectPrimitiveSuccess(OP_SUCCESS);
	return effect.effect_instruction_i0 = value, effect;
}, suspend$1 = (evaluate) => {
	let effect = new EffectPrimitive(OP_COMMIT);
	return effect.commit = evaluate, effect;
}, sync = (thunk) => {
	let effect = new EffectPrimitive(OP_SYNC);
	return effect.effect_instruction_i0 = thunk, effect;
}, tap = dual((args) => args.length === 3 || args.length === 2 && !(isObject$1(args[1]) && "onlyEffect" in args[1]), (self, f) => flatMap$3(self, (a) => {
	let b = typeof f == "function" ? f(a) : f;
	return isEffect$1(b) ? as(b, a) : isPromiseLike(b) ? unsafeAsync((resume) => {
		b.then((_) => resume(succeed$3(a)), (e) => resume(fail$1(new UnknownException(e, "An unknown error occurred in Effect.tap"))));
	}) : succeed$3(a);
})), transplant = (f) => withFiberRuntime((state) => {
	let scope = pipe(state.getFiberRef(currentForkScopeOverride), getOrElse(() => state.scope()));
	return f(fiberRefLocally(currentForkScopeOverride, some(scope)));
}), attemptOrElse = dual(3, (self, that, onSuccess) => matchCauseEffect$1(self, {
	onFailure: (cause) => defects(cause).length > 0 ? failCause$1(getOrThrow(keepDefectsAndElectFailures(cause))) : that(),
	onSuccess
})), uninterruptible = (self) => {
	let effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
	return effect.effect_instruction_i0 = disable(1), effect.effect_instruction_i1 = () => self, effect;
}, uninterruptibleMask$1 = (f) => custom(f, function() {
	let effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
	return effect.effect_instruction_i0 = disable(1), effect.effect_instruction_i1 = (oldFlags) => interruption(oldFlags) ? internalCall(() => this.effect_instruction_i0(interruptible$1)) : internalCall(() => this.effect_instruction_i0(uninterruptible)), effect;
}), void_$1 = succeed$3(void 0), updateRuntimeFlags = (patch) => {
	let effect = new EffectPrimitive(OP_UPDATE_RUNTIME_FLAGS);
	return effect.effect_instruction_i0 = patch, effect.effect_instruction_i1 = void 0, effect;
}, whileLoop = (options) => {
	let effect = new EffectPrimitive(OP_WHILE);
	return effect.effect_instruction_i0 = options.while, effect.effect_instruction_i1 = options.body, effect.effect_instruction_i2 = options.step, effect;
}, yieldNow$2 = (options) => {
	let effect = new EffectPrimitive(OP_YIELD);
	return options?.priority === void 0 ? effect : withSchedulingPriority(effect, options.priority);
}, zip = dual(2, (self, that) => flatMap$3(self, (a) => map$2(that, (b) => [a, b]))), zipLeft = dual(2, (self, that) => flatMap$3(self, (a) => as(that, a))), zipRight = dual(2, (self, that) => flatMap$3(self, () => that)), interruptFiber = (self) => flatMap$3(fiberId, (fiberId) => pipe(self, interruptAsFiber(fiberId))), interruptAsFiber = dual(2, (self, fiberId) => flatMap$3(self.interruptAsFork(fiberId), () => self.await)), logLevelAll = {
	_tag: "All",
	syslog: 0,
	label: "ALL",
	ordinal: -(2 ** 53 - 1),
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelFatal = {
	_tag: "Fatal",
	syslog: 2,
	label: "FATAL",
	ordinal: 5e4,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelError = {
	_tag: "Error",
	syslog: 3,
	label: "ERROR",
	ordinal: 4e4,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelWarning = {
	_tag: "Warning",
	syslog: 4,
	label: "WARN",
	ordinal: 3e4,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelInfo = {
	_tag: "Info",
	syslog: 6,
	label: "INFO",
	ordinal: 2e4,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelDebug = {
	_tag: "Debug",
	syslog: 7,
	label: "DEBUG",
	ordinal: 1e4,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelTrace = {
	_tag: "Trace",
	syslog: 7,
	label: "TRACE",
	ordinal: 0,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, logLevelNone = {
	_tag: "None",
	syslog: 7,
	label: "OFF",
	ordinal: 2 ** 53 - 1,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, FiberRefTypeId = Symbol.for("effect/FiberRef"), fiberRefVariance = { _A: (_) => _ }, fiberRefGet = (self) => withFiberRuntime((fiber) => exitSucceed$1(fiber.getFiberRef(self))), fiberRefGetWith = dual(2, (self, f) => flatMap$3(fiberRefGet(self), f)), fiberRefSet = dual(2, (self, value) => fiberRefModify(self, () => [void 0, value])), fiberRefModify = dual(2, (self, f) => withFiberRuntime((state) => {
	let [b, a] = f(state.getFiberRef(self));
	return state.setFiberRef(self, a), succeed$3(b);
})), fiberRefLocally = dual(3, (use, self, value) => acquireUseRelease(zipLeft(fiberRefGet(self), fiberRefSet(self, value)), () => use, (oldValue) => fiberRefSet(self, oldValue))), fiberRefUnsafeMake = (initial, options) => fiberRefUnsafeMakePatch(initial, {
	differ: update$1(),
	fork: options?.fork ?? identity,
	join: options?.join
}), fiberRefUnsafeMakeHashSet = (initial) => {
	let differ = hashSet();
	return fiberRefUnsafeMakePatch(initial, {
		differ,
		fork: differ.empty
	});
}, fiberRefUnsafeMakeReadonlyArray = (initial) => {
	let differ = readonlyArray(update$1());
	return fiberRefUnsafeMakePatch(initial, {
		differ,
		fork: differ.empty
	});
}, fiberRefUnsafeMakeContext = (initial) => {
	let differ = environment();
	return fiberRefUnsafeMakePatch(initial, {
		differ,
		fork: differ.empty
	});
}, fiberRefUnsafeMakePatch = (initial, options) => ({
	...CommitPrototype,
	[FiberRefTypeId]: fiberRefVariance,
	initial,
	commit() {
		return fiberRefGet(this);
	},
	diff: (oldValue, newValue) => options.differ.diff(oldValue, newValue),
	combine: (first, second) => options.differ.combine(first, second),
	patch: (patch) => (oldValue) => options.differ.patch(patch, oldValue),
	fork: options.fork,
	join: options.join ?? ((_, n) => n)
}), fiberRefUnsafeMakeRuntimeFlags = (initial) => fiberRefUnsafeMakePatch(initial, {
	differ: differ$1,
	fork: differ$1.empty
}), currentContext = globalValue(Symbol.for("effect/FiberRef/currentContext"), () => fiberRefUnsafeMakeContext(empty$12())), currentSchedulingPriority = globalValue(Symbol.for("effect/FiberRef/currentSchedulingPriority"), () => fiberRefUnsafeMake(0)), currentMaxOpsBeforeYield = globalValue(Symbol.for("effect/FiberRef/currentMaxOpsBeforeYield"), () => fiberRefUnsafeMake(2048)), currentLogAnnotations = globalValue(Symbol.for("effect/FiberRef/currentLogAnnotation"), () => fiberRefUnsafeMake(empty$11())), currentLogLevel = globalValue(Symbol.for("effect/FiberRef/currentLogLevel"), () => fiberRefUnsafeMake(logLevelInfo)), currentLogSpan = globalValue(Symbol.for("effect/FiberRef/currentLogSpan"), () => fiberRefUnsafeMake(empty$10())), withSchedulingPriority = dual(2, (self, scheduler) => fiberRefLocally(self, currentSchedulingPriority, scheduler)), currentConcurrency = globalValue(Symbol.for("effect/FiberRef/currentConcurrency"), () => fiberRefUnsafeMake("unbounded")), currentRequestBatching = globalValue(Symbol.for("effect/FiberRef/currentRequestBatching"), () => fiberRefUnsafeMake(!0)), currentUnhandledErrorLogLevel = globalValue(Symbol.for("effect/FiberRef/currentUnhandledErrorLogLevel"), () => fiberRefUnsafeMake(some(logLevelDebug))), currentVersionMismatchErrorLogLevel = globalValue(Symbol.for("effect/FiberRef/versionMismatchErrorLogLevel"), () => fiberRefUnsafeMake(some(logLevelWarning))), currentMetricLabels = globalValue(Symbol.for("effect/FiberRef/currentMetricLabels"), () => fiberRefUnsafeMakeReadonlyArray(empty$19())), currentForkScopeOverride = globalValue(Symbol.for("effect/FiberRef/currentForkScopeOverride"), () => fiberRefUnsafeMake(none$4(), {
	fork: () => none$4(),
	join: (parent, _) => parent
})), currentInterruptedCause = globalValue(Symbol.for("effect/FiberRef/currentInterruptedCause"), () => fiberRefUnsafeMake(empty$14, {
	fork: () => empty$14,
	join: (parent, _) => parent
})), ScopeTypeId = Symbol.for("effect/Scope"), CloseableScopeTypeId = Symbol.for("effect/CloseableScope"), scopeAddFinalizer = (self, finalizer) => self.addFinalizer(() => asVoid(finalizer)), scopeClose = (self, exit) => self.close(exit), scopeFork = (self, strategy) => self.fork(strategy), YieldableError = function() {
	class YieldableError extends globalThis.Error {
		commit() {
			return fail$1(this);
		}
		toJSON() {
			let obj = { ...this };
			return this.message && (obj.message = this.message), this.cause && (obj.cause = this.cause), obj;
		}
		[NodeInspectSymbol]() {
			return this.toString === globalThis.Error.prototype.toString ? "Bun" in globalThis ? pretty(fail$2(this), { renderErrorCause: !0 }) : this : this.stack ? `${this.toString()}\n${this.stack.split("\n").slice(1).join("\n")}` : this.toString();
		}
	}
	return Object.assign(YieldableError.prototype, StructuralCommitPrototype), YieldableError;
}(), makeException = (proto, tag) => {
	class Base extends YieldableError {
		_tag = tag;
	}
	return Object.assign(Base.prototype, proto), Base.prototype.name = tag, Base;
}, RuntimeExceptionTypeId = Symbol.for("effect/Cause/errors/RuntimeException"), RuntimeException = makeException({ [RuntimeExceptionTypeId]: RuntimeExceptionTypeId }, "RuntimeException"), InterruptedExceptionTypeId = Symbol.for("effect/Cause/errors/InterruptedException"), isInterruptedException = (u) => hasProperty(u, InterruptedExceptionTypeId), NoSuchElementExceptionTypeId = Symbol.for("effect/Cause/errors/NoSuchElement"), NoSuchElementException = makeException({ [NoSuchElementExceptionTypeId]: NoSuchElementExceptionTypeId }, "NoSuchElementException"), UnknownExceptionTypeId = Symbol.for("effect/Cause/errors/UnknownException"), UnknownException = function() {
	class UnknownException extends YieldableError {
		_tag = "UnknownException";
		error;
		constructor(cause, message) {
			super(message ?? "An unknown error occurred", { cause }), this.error = cause;
		}
	}
	return Object.assign(UnknownException.prototype, {
		[UnknownExceptionTypeId]: UnknownExceptionTypeId,
		name: "UnknownException"
	}), UnknownException;
}(), exitIsExit = (u) => isEffect$1(u) && "_tag" in u && (u._tag === "Success" || u._tag === "Failure"), exitAs = dual(2, (self, value) => {
	switch (self._tag) {
		case OP_FAILURE: return exitFailCause$1(self.effect_instruction_i0);
		case OP_SUCCESS: return exitSucceed$1(value);
	}
}), exitAsVoid = (self) => exitAs(self, void 0), exitCollectAll = (exits, options) => exitCollectAllInternal(exits, options?.parallel ? parallel$2 : sequential$2), exitDie$1 = (defect) => exitFailCause$1(die$1(defect)), exitFail = (error) => exitFailCause$1(fail$2(error)), exitFailCause$1 = (cause) => {
	let effect = new EffectPrimitiveFailure(OP_FAILURE);
	return effect.effect_instruction_i0 = cause, effect;
}, exitInterrupt$1 = (fiberId) => exitFailCause$1(interrupt(fiberId)), exitMap = dual(2, (self, f) => {
	switch (self._tag) {
		case OP_FAILURE: return exitFailCause$1(self.effect_instruction_i0);
		case OP_SUCCESS: return exitSucceed$1(f(self.effect_instruction_i0));
	}
}), exitMatch = dual(2, (self, { onFailure, onSuccess }) => {
	switch (self._tag) {
		case OP_FAILURE: return onFailure(self.effect_instruction_i0);
		case OP_SUCCESS: return onSuccess(self.effect_instruction_i0);
	}
}), exitSucceed$1 = (value) => {
	let effect = new EffectPrimitiveSuccess(OP_SUCCESS);
	return effect.effect_instruction_i0 = value, effect;
}, exitVoid$1 = exitSucceed$1(void 0), exitZipWith = dual(3, (self, that, { onFailure, onSuccess }) => {
	switch (self._tag) {
		case OP_FAILURE: switch (that._tag) {
			case OP_SUCCESS: return exitFailCause$1(self.effect_instruction_i0);
			case OP_FAILURE: return exitFailCause$1(onFailure(self.effect_instruction_i0, that.effect_instruction_i0));
		}
		case OP_SUCCESS: switch (that._tag) {
			case OP_SUCCESS: return exitSucceed$1(onSuccess(self.effect_instruction_i0, that.effect_instruction_i0));
			case OP_FAILURE: return exitFailCause$1(that.effect_instruction_i0);
		}
	}
}), exitCollectAllInternal = (exits, combineCauses) => {
	let list = fromIterable$5(exits);
	return isNonEmpty(list) ? pipe(tailNonEmpty(list), reduce$6(pipe(headNonEmpty(list), exitMap(of$1)), (accumulator, current) => pipe(accumulator, exitZipWith(current, {
		onSuccess: (list, value) => pipe(list, prepend$1(value)),
		onFailure: combineCauses
	}))), exitMap(reverse$1), exitMap((chunk) => toReadonlyArray(chunk)), some) : none$4();
}, deferredUnsafeMake = (fiberId) => ({
	...CommitPrototype,
	[DeferredTypeId]: deferredVariance,
	state: make$16(pending([])),
	commit() {
		return deferredAwait(this);
	},
	blockingOn: fiberId
}), deferredAwait = (self) => asyncInterrupt((resume) => {
	let state = get$3(self.state);
	switch (state._tag) {
		case OP_STATE_DONE: return resume(state.effect);
		case OP_STATE_PENDING: return state.joiners.push(resume), deferredInterruptJoiner(self, resume);
	}
}, self.blockingOn), deferredUnsafeDone = (self, effect) => {
	let state = get$3(self.state);
	if (state._tag === "Pending") {
		set$2(self.state, done$2(effect));
		for (let i = 0, len = state.joiners.length; i < len; i++) state.joiners[i](effect);
	}
}, deferredInterruptJoiner = (self, joiner) => sync(() => {
	let state = get$3(self.state);
	if (state._tag === "Pending") {
		let index = state.joiners.indexOf(joiner);
		index >= 0 && state.joiners.splice(index, 1);
	}
}), constContext = withFiberRuntime((fiber) => exitSucceed$1(fiber.currentContext)), context = () => constContext, contextWithEffect = (f) => flatMap$3(context(), f), provideContext$1 = dual(2, (self, context) => fiberRefLocally(currentContext, context)(self)), mapInputContext = dual(2, (self, f) => contextWithEffect((context) => provideContext$1(self, f(context)))), currentSpanFromFiber = (fiber) => {
	let span = fiber.currentSpan;
	return span !== void 0 && span._tag === "Span" ? some(span) : none$4();
}, ClockTypeId = Symbol.for("effect/Clock"), clockTag = GenericTag("effect/Clock"), MAX_TIMER_MILLIS = 2 ** 31 - 1, globalClockScheduler = { unsafeSchedule(task, duration) {
	let millis = toMillis(duration);
	if (millis > MAX_TIMER_MILLIS) return constFalse;
	let completed = !1, handle = setTimeout(() => {
		completed = !0, task();
	}, millis);
	return () => (clearTimeout(handle), !completed);
} }, performanceNowNanos = function() {
	let bigint1e6 = BigInt(1e6);
	if (typeof performance > "u" || typeof performance.now != "function") return () => BigInt(Date.now()) * bigint1e6;
	let origin;
	return () => (origin === void 0 && (origin = BigInt(Date.now()) * bigint1e6 - BigInt(Math.round(performance.now() * 1e6))), origin + BigInt(Math.round(performance.now() * 1e6)));
}(), processOrPerformanceNow = function() {
	let processHrtime = typeof process == "object" && "hrtime" in process && typeof process.hrtime.bigint == "function" ? process.hrtime : void 0;
	if (!processHrtime) return performanceNowNanos;
	let origin = performanceNowNanos() - processHrtime.bigint();
	return () => origin + processHrtime.bigint();
}();
var ClockImpl = class {
	[ClockTypeId] = ClockTypeId;
	unsafeCurrentTimeMillis() {
		return Date.now();
	}
	unsafeCurrentTimeNanos() {
		return processOrPerformanceNow();
	}
	currentTimeMillis = sync(() => this.unsafeCurrentTimeMillis());
	currentTimeNanos = sync(() => this.unsafeCurrentTimeNanos());
	scheduler() {
		return succeed$3(globalClockScheduler);
	}
	sleep(duration) {
		return async_((resume) => {
			let canceler = globalClockScheduler.unsafeSchedule(() => resume(void_$1), duration);
			return asVoid(sync(canceler));
		});
	}
};
const make$12 = () => new ClockImpl(), OP_INVALID_DATA = "InvalidData", OP_MISSING_DATA = "MissingData", OP_SOURCE_UNAVAILABLE = "SourceUnavailable", OP_UNSUPPORTED = "Unsupported", ConfigErrorTypeId = Symbol.for("effect/ConfigError"), proto = {
	_tag: "ConfigError",
	[ConfigErrorTypeId]: ConfigErrorTypeId
}, And = (self, that) => {
	let error = Object.create(proto);
	return error._op = "And", error.left = self, error.right = that, Object.defineProperty(error, "toString", {
		enumerable: !1,
		value() {
			return `${this.left} and ${this.right}`;
		}
	}), Object.defineProperty(error, "message", {
		enumerable: !1,
		get() {
			return this.toString();
		}
	}), error;
}, Or = (self, that) => {
	let error = Object.create(proto);
	return error._op = "Or", error.left = self, error.right = that, Object.defineProperty(error, "toString", {
		enumerable: !1,
		value() {
			return `${this.left} or ${this.right}`;
		}
	}), Object.defineProperty(error, "message", {
		enumerable: !1,
		get() {
			return this.toString();
		}
	}), error;
}, InvalidData = (path, message, options = { pathDelim: "." }) => {
	let error = Object.create(proto);
	return error._op = OP_INVALID_DATA, error.path = path, error.message = message, Object.defineProperty(error, "toString", {
		enumerable: !1,
		value() {
			return `(Invalid data at ${pipe(this.path, join$1(options.pathDelim))}: "${this.message}")`;
		}
	}), error;
}, MissingData = (path, message, options = { pathDelim: "." }) => {
	let error = Object.create(proto);
	return error._op = OP_MISSING_DATA, error.path = path, error.message = message, Object.defineProperty(error, "toString", {
		enumerable: !1,
		value() {
			return `(Missing data at ${pipe(this.path, join$1(options.pathDelim))}: "${this.message}")`;
		}
	}), error;
}, SourceUnavailable = (path, message, cause, options = { pathDelim: "." }) => {
	let error = Object.create(proto);
	return error._op = OP_SOURCE_UNAVAILABLE, error.path = path, error.message = message, error.cause = cause, Object.defineProperty(error, "toString", {
		enumerable: !1,
		value() {
			return `(Source unavailable at ${pipe(this.path, join$1(options.pathDelim))}: "${this.message}")`;
		}
	}), error;
}, Unsupported = (path, message, options = { pathDelim: "." }) => {
	let error = Object.create(proto);
	return error._op = OP_UNSUPPORTED, error.path = path, error.message = message, Object.defineProperty(error, "toString", {
		enumerable: !1,
		value() {
			return `(Unsupported operation at ${pipe(this.path, join$1(options.pathDelim))}: "${this.message}")`;
		}
	}), error;
}, prefixed = dual(2, (self, prefix) => {
	switch (self._op) {
		case "And": return And(prefixed(self.left, prefix), prefixed(self.right, prefix));
		case "Or": return Or(prefixed(self.left, prefix), prefixed(self.right, prefix));
		case OP_INVALID_DATA: return InvalidData([...prefix, ...self.path], self.message);
		case OP_MISSING_DATA: return MissingData([...prefix, ...self.path], self.message);
		case OP_SOURCE_UNAVAILABLE: return SourceUnavailable([...prefix, ...self.path], self.message, self.cause);
		case OP_UNSUPPORTED: return Unsupported([...prefix, ...self.path], self.message);
	}
}), reduceWithContext = dual(3, (self, context, reducer) => {
	let input = [self], output = [];
	for (; input.length > 0;) {
		let error = input.pop();
		switch (error._op) {
			case "And":
				input.push(error.right), input.push(error.left), output.push(left({ _op: "AndCase" }));
				break;
			case "Or":
				input.push(error.right), input.push(error.left), output.push(left({ _op: "OrCase" }));
				break;
			case OP_INVALID_DATA:
				output.push(right(reducer.invalidDataCase(context, error.path, error.message)));
				break;
			case OP_MISSING_DATA:
				output.push(right(reducer.missingDataCase(context, error.path, error.message)));
				break;
			case OP_SOURCE_UNAVAILABLE:
				output.push(right(reducer.sourceUnavailableCase(context, error.path, error.message, error.cause)));
				break;
			case OP_UNSUPPORTED: output.push(right(reducer.unsupportedCase(context, error.path, error.message)));
		}
	}
	let accumulator = [];
	for (; output.length > 0;) {
		let either = output.pop();
		switch (either._op) {
			case "Left":
				switch (either.left._op) {
					case "AndCase": {
						let left = accumulator.pop(), right = accumulator.pop(), value = reducer.andCase(context, left, right);
						accumulator.push(value);
						break;
					}
					case "OrCase": {
						let left = accumulator.pop(), right = accumulator.pop(), value = reducer.orCase(context, left, right);
						accumulator.push(value);
						break;
					}
				}
				break;
			case "Right": accumulator.push(either.right);
		}
	}
	if (accumulator.length === 0) throw Error("BUG: ConfigError.reduceWithContext - please report an issue at https://github.com/Effect-TS/effect/issues");
	return accumulator.pop();
}), empty$5 = { _tag: "Empty" }, patch$3 = dual(2, (path, patch) => {
	let input = of(patch), output = path;
	for (; isCons(input);) {
		let patch = input.head;
		switch (patch._tag) {
			case "Empty":
				input = input.tail;
				break;
			case "AndThen":
				input = cons(patch.first, cons(patch.second, input.tail));
				break;
			case "MapName":
				output = map$5(output, patch.f), input = input.tail;
				break;
			case "Nested":
				output = prepend$2(output, patch.name), input = input.tail;
				break;
			case "Unnested": if (pipe(head(output), contains(patch.name))) output = tailNonEmpty$1(output), input = input.tail;
			else return left(MissingData(output, `Expected ${patch.name} to be in path in ConfigProvider#unnested`));
		}
	}
	return right(output);
}), concat = (l, r) => [...l, ...r], ConfigProviderTypeId = Symbol.for("effect/ConfigProvider"), configProviderTag = GenericTag("effect/ConfigProvider"), FlatConfigProviderTypeId = Symbol.for("effect/ConfigProviderFlat"), make$11 = (options) => ({
	[ConfigProviderTypeId]: ConfigProviderTypeId,
	pipe() {
		return pipeArguments(this, arguments);
	},
	...options
}), makeFlat = (options) => ({
	[FlatConfigProviderTypeId]: FlatConfigProviderTypeId,
	patch: options.patch,
	load: (path, config, split = !0) => options.load(path, config, split),
	enumerateChildren: options.enumerateChildren
}), fromFlat = (flat) => make$11({
	load: (config) => flatMap$3(fromFlatLoop(flat, empty$19(), config, !1), (chunk) => match$3(head(chunk), {
		onNone: () => fail$1(MissingData(empty$19(), `Expected a single value having structure: ${config}`)),
		onSome: succeed$3
	})),
	flattened: flat
}), fromEnv = (options) => {
	let { pathDelim, seqDelim } = Object.assign({}, {
		pathDelim: "_",
		seqDelim: ","
	}, options), makePathString = (path) => pipe(path, join$1(pathDelim)), unmakePathString = (pathString) => pathString.split(pathDelim), getEnv = () => typeof process < "u" && "env" in process && typeof process.env == "object" ? process.env : {};
	return fromFlat(makeFlat({
		load: (path, primitive, split = !0) => {
			let pathString = makePathString(path), current = getEnv();
			return pipe(pathString in current ? some(current[pathString]) : none$4(), mapError$2(() => MissingData(path, `Expected ${pathString} to exist in the process context`)), flatMap$3((value) => parsePrimitive(value, path, primitive, seqDelim, split)));
		},
		enumerateChildren: (path) => sync(() => {
			let current = getEnv(), filteredKeyPaths = Object.keys(current).map((value) => unmakePathString(value.toUpperCase())).filter((keyPath) => {
				for (let i = 0; i < path.length; i++) {
					let pathComponent = pipe(path, unsafeGet$3(i)), currentElement = keyPath[i];
					if (currentElement === void 0 || pathComponent !== currentElement) return !1;
				}
				return !0;
			}).flatMap((keyPath) => keyPath.slice(path.length, path.length + 1));
			return fromIterable$2(filteredKeyPaths);
		}),
		patch: empty$5
	}));
}, extend = (leftDef, rightDef, left, right) => {
	let leftPad = unfold(left.length, (index) => index >= right.length ? none$4() : some([leftDef(index), index + 1])), rightPad = unfold(right.length, (index) => index >= left.length ? none$4() : some([rightDef(index), index + 1]));
	return [concat(left, leftPad), concat(right, rightPad)];
}, appendConfigPath = (path, config) => {
	let op = config;
	if (op._tag === "Nested") {
		let out = path.slice();
		for (; op._tag === "Nested";) out.push(op.name), op = op.config;
		return out;
	}
	return path;
}, RedactedConfigErrorReducer = {
	andCase: (_, left, right) => And(left, right),
	orCase: (_, left, right) => Or(left, right),
	invalidDataCase: (_, path) => InvalidData(path, "<redacted>"),
	missingDataCase: (_, path) => MissingData(path, "<redacted>"),
	sourceUnavailableCase: (_, path, _message, cause) => SourceUnavailable(path, "<redacted>", cause),
	unsupportedCase: (_, path) => Unsupported(path, "<redacted>")
}, redactConfigError = (error) => reduceWithContext(error, void 0, RedactedConfigErrorReducer), fromFlatLoop = (flat, prefix, config, split) => {
	let op = config;
	switch (op._tag) {
		case "Constant": return succeed$3(of$2(op.value));
		case "Described": return suspend$1(() => fromFlatLoop(flat, prefix, op.config, split));
		case "Fail": return fail$1(MissingData(prefix, op.message));
		case "Fallback": return pipe(suspend$1(() => fromFlatLoop(flat, prefix, op.first, split)), catchAll$1((error1) => op.condition(error1) ? pipe(fromFlatLoop(flat, prefix, op.second, split), catchAll$1((error2) => fail$1(Or(error1, error2)))) : fail$1(error1)));
		case "Lazy": return suspend$1(() => fromFlatLoop(flat, prefix, op.config(), split));
		case "MapOrFail": return suspend$1(() => pipe(fromFlatLoop(flat, prefix, op.original, split), flatMap$3(forEachSequential((a) => pipe(op.mapOrFail(a), mapError$2(prefixed(appendConfigPath(prefix, op.original))))))));
		case "Nested": return suspend$1(() => fromFlatLoop(flat, concat(prefix, of$2(op.name)), op.config, split));
		case "Primitive": return pipe(patch$3(prefix, flat.patch), flatMap$3((prefix) => pipe(flat.load(prefix, op, split), flatMap$3((values) => {
			if (values.length === 0) {
				let name = pipe(last(prefix), getOrElse(() => "<n/a>"));
				return fail$1(MissingData([], `Expected ${op.description} with name ${name}`));
			}
			return succeed$3(values);
		}))));
		case "Redacted": return suspend$1(() => pipe(fromFlatLoop(flat, prefix, op.original, split), mapError$2(redactConfigError), map$2(map$5(op.redact))));
		case "Sequence": return pipe(patch$3(prefix, flat.patch), flatMap$3((patchedPrefix) => pipe(flat.enumerateChildren(patchedPrefix), flatMap$3(indicesFrom), flatMap$3((indices) => indices.length === 0 ? suspend$1(() => map$2(fromFlatLoop(flat, prefix, op.config, !0), of$2)) : pipe(forEachSequential(indices, (index) => fromFlatLoop(flat, append$1(prefix, `[${index}]`), op.config, !0)), map$2((chunkChunk) => {
			let flattened = flatten$3(chunkChunk);
			return flattened.length === 0 ? of$2(empty$19()) : of$2(flattened);
		}))))));
		case "HashMap": return suspend$1(() => pipe(patch$3(prefix, flat.patch), flatMap$3((prefix) => pipe(flat.enumerateChildren(prefix), flatMap$3((keys) => pipe(keys, forEachSequential((key) => fromFlatLoop(flat, concat(prefix, of$2(key)), op.valueConfig, split)), map$2((matrix) => matrix.length === 0 ? of$2(empty$11()) : pipe(transpose(matrix), map$5((values) => fromIterable$1(zip$1(fromIterable$6(keys), values)))))))))));
		case "ZipWith": return suspend$1(() => pipe(fromFlatLoop(flat, prefix, op.left, split), either$1, flatMap$3((left) => pipe(fromFlatLoop(flat, prefix, op.right, split), either$1, flatMap$3((right$4) => {
			if (isLeft(left) && isLeft(right$4)) return fail$1(And(left.left, right$4.left));
			if (isLeft(left) && isRight(right$4)) return fail$1(left.left);
			if (isRight(left) && isLeft(right$4)) return fail$1(right$4.left);
			if (isRight(left) && isRight(right$4)) {
				let path = pipe(prefix, join$1(".")), fail = fromFlatLoopFail(prefix, path), [lefts, rights] = extend(fail, fail, pipe(left.right, map$5(right)), pipe(right$4.right, map$5(right)));
				return pipe(lefts, zip$1(rights), forEachSequential(([left, right]) => pipe(zip(left, right), map$2(([left, right]) => op.zip(left, right)))));
			}
			throw Error("BUG: ConfigProvider.fromFlatLoop - please report an issue at https://github.com/Effect-TS/effect/issues");
		})))));
	}
}, fromFlatLoopFail = (prefix, path) => (index) => left(MissingData(prefix, `The element at index ${index} in a sequence at path "${path}" was missing`)), splitPathString = (text, delim) => text.split(RegExp(`\\s*${escape(delim)}\\s*`)), parsePrimitive = (text, path, primitive, delimiter, split) => split ? pipe(splitPathString(text, delimiter), forEachSequential((char) => primitive.parse(char.trim())), mapError$2(prefixed(path))) : pipe(primitive.parse(text), mapBoth$2({
	onFailure: prefixed(path),
	onSuccess: of$2
})), transpose = (array) => Object.keys(array[0]).map((column) => array.map((row) => row[column])), indicesFrom = (quotedIndices) => pipe(forEachSequential(quotedIndices, parseQuotedIndex), mapBoth$2({
	onFailure: () => empty$19(),
	onSuccess: sort(Order$1)
}), either$1, map$2(merge$3)), QUOTED_INDEX_REGEX = /^(\[(\d+)\])$/, parseQuotedIndex = (str) => {
	let match = str.match(QUOTED_INDEX_REGEX);
	if (match !== null) {
		let matchedIndex = match[2];
		return pipe(matchedIndex !== void 0 && matchedIndex.length > 0 ? some(matchedIndex) : none$4(), flatMap$5(parseInteger));
	}
	return none$4();
}, parseInteger = (str) => {
	let parsedIndex = Number.parseInt(str);
	return Number.isNaN(parsedIndex) ? none$4() : some(parsedIndex);
}, TypeId$5 = Symbol.for("effect/Console"), consoleTag = GenericTag("effect/Console"), defaultConsole = {
	[TypeId$5]: TypeId$5,
	assert(condition, ...args) {
		return sync(() => {
			console.assert(condition, ...args);
		});
	},
	clear: sync(() => {
		console.clear();
	}),
	count(label) {
		return sync(() => {
			console.count(label);
		});
	},
	countReset(label) {
		return sync(() => {
			console.countReset(label);
		});
	},
	debug(...args) {
		return sync(() => {
			console.debug(...args);
		});
	},
	dir(item, options) {
		return sync(() => {
			console.dir(item, options);
		});
	},
	dirxml(...args) {
		return sync(() => {
			console.dirxml(...args);
		});
	},
	error(...args) {
		return sync(() => {
			console.error(...args);
		});
	},
	group(options) {
		return options?.collapsed ? sync(() => console.groupCollapsed(options?.label)) : sync(() => console.group(options?.label));
	},
	groupEnd: sync(() => {
		console.groupEnd();
	}),
	info(...args) {
		return sync(() => {
			console.info(...args);
		});
	},
	log(...args) {
		return sync(() => {
			console.log(...args);
		});
	},
	table(tabularData, properties) {
		return sync(() => {
			console.table(tabularData, properties);
		});
	},
	time(label) {
		return sync(() => console.time(label));
	},
	timeEnd(label) {
		return sync(() => console.timeEnd(label));
	},
	timeLog(label, ...args) {
		return sync(() => {
			console.timeLog(label, ...args);
		});
	},
	trace(...args) {
		return sync(() => {
			console.trace(...args);
		});
	},
	warn(...args) {
		return sync(() => {
			console.warn(...args);
		});
	},
	unsafe: console
}, RandomTypeId = Symbol.for("effect/Random"), randomTag = GenericTag("effect/Random");
var RandomImpl = class {
	seed;
	[RandomTypeId] = RandomTypeId;
	PRNG;
	constructor(seed) {
		this.seed = seed, this.PRNG = new PCGRandom(seed);
	}
	get next() {
		return sync(() => this.PRNG.number());
	}
	get nextBoolean() {
		return map$2(this.next, (n) => n > .5);
	}
	get nextInt() {
		return sync(() => this.PRNG.integer(2 ** 53 - 1));
	}
	nextRange(min, max) {
		return map$2(this.next, (n) => (max - min) * n + min);
	}
	nextIntBetween(min, max) {
		return sync(() => this.PRNG.integer(max - min) + min);
	}
	shuffle(elements) {
		return shuffleWith(elements, (n) => this.nextIntBetween(0, n));
	}
};
const shuffleWith = (elements, nextIntBounded) => suspend$1(() => pipe(sync(() => Array.from(elements)), flatMap$3((buffer) => {
	let numbers = [];
	for (let i = buffer.length; i >= 2; --i) numbers.push(i);
	return pipe(numbers, forEachSequentialDiscard((n) => pipe(nextIntBounded(n), map$2((k) => swap(buffer, n - 1, k)))), as(fromIterable$5(buffer)));
}))), swap = (buffer, index1, index2) => {
	let tmp = buffer[index1];
	return buffer[index1] = buffer[index2], buffer[index2] = tmp, buffer;
}, make$10 = (seed) => new RandomImpl(hash(seed)), TracerTypeId = Symbol.for("effect/Tracer"), make$9 = (options) => ({
	[TracerTypeId]: TracerTypeId,
	...options
}), tracerTag = GenericTag("effect/Tracer"), spanTag = GenericTag("effect/ParentSpan"), randomHexString = function() {
	return function(length) {
		let result = "";
		for (let i = 0; i < length; i++) result += "abcdef0123456789".charAt(Math.floor(Math.random() * 16));
		return result;
	};
}();
var NativeSpan = class {
	name;
	parent;
	context;
	startTime;
	kind;
	_tag = "Span";
	spanId;
	traceId = "native";
	sampled = !0;
	status;
	attributes;
	events = [];
	links;
	constructor(name, parent, context, links, startTime, kind) {
		this.name = name, this.parent = parent, this.context = context, this.startTime = startTime, this.kind = kind, this.status = {
			_tag: "Started",
			startTime
		}, this.attributes = new Map(), this.traceId = parent._tag === "Some" ? parent.value.traceId : randomHexString(32), this.spanId = randomHexString(16), this.links = Array.from(links);
	}
	end(endTime, exit) {
		this.status = {
			_tag: "Ended",
			endTime,
			exit,
			startTime: this.status.startTime
		};
	}
	attribute(key, value) {
		this.attributes.set(key, value);
	}
	event(name, startTime, attributes) {
		this.events.push([
			name,
			startTime,
			attributes ?? {}
		]);
	}
	addLinks(links) {
		this.links.push(...links);
	}
};
const nativeTracer = make$9({
	span: (name, parent, context, links, startTime, kind) => new NativeSpan(name, parent, context, links, startTime, kind),
	context: (f) => f()
}), DisablePropagation = Reference()("effect/Tracer/DisablePropagation", { defaultValue: constFalse }), liveServices = pipe(empty$12(), add(clockTag, make$12()), add(consoleTag, defaultConsole), add(randomTag, make$10(Math.random())), add(configProviderTag, fromEnv()), add(tracerTag, nativeTracer)), currentServices = globalValue(Symbol.for("effect/DefaultServices/currentServices"), () => fiberRefUnsafeMakeContext(liveServices)), EffectPrototype = EffectPrototype$1, Base = Base$1;
var Class = class extends Base {};
// node_modules/effect/dist/esm/internal/executionStrategy.js
const OP_SEQUENTIAL = "Sequential", OP_PARALLEL = "Parallel", sequential$1 = { _tag: OP_SEQUENTIAL }, parallel$1 = { _tag: OP_PARALLEL }, parallelN$1 = (parallelism) => ({
	_tag: "ParallelN",
	parallelism
}), isSequential = (self) => self._tag === OP_SEQUENTIAL, isParallel = (self) => self._tag === OP_PARALLEL, sequential = sequential$1, parallel = parallel$1, parallelN = parallelN$1;
// node_modules/effect/dist/esm/internal/fiberRefs.js
function unsafeMake$2(fiberRefLocals) {
	return new FiberRefsImpl(fiberRefLocals);
}
function empty$4() {
	return unsafeMake$2(new Map());
}
const FiberRefsSym = Symbol.for("effect/FiberRefs");
var FiberRefsImpl = class {
	locals;
	[FiberRefsSym] = FiberRefsSym;
	constructor(locals) {
		this.locals = locals;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const findAncestor = (_ref, _parentStack, _childStack, _childModified = !1) => {
	let ref = _ref, parentStack = _parentStack, childStack = _childStack, childModified = _childModified, ret;
	for (; ret === void 0;) if (isNonEmptyReadonlyArray(parentStack) && isNonEmptyReadonlyArray(childStack)) {
		let parentFiberId = headNonEmpty$1(parentStack)[0], parentAncestors = tailNonEmpty$1(parentStack), childFiberId = headNonEmpty$1(childStack)[0], childRefValue = headNonEmpty$1(childStack)[1], childAncestors = tailNonEmpty$1(childStack);
		parentFiberId.startTimeMillis < childFiberId.startTimeMillis ? (childStack = childAncestors, childModified = !0) : parentFiberId.startTimeMillis > childFiberId.startTimeMillis ? parentStack = parentAncestors : parentFiberId.id < childFiberId.id ? (childStack = childAncestors, childModified = !0) : parentFiberId.id > childFiberId.id ? parentStack = parentAncestors : ret = [childRefValue, childModified];
	} else ret = [ref.initial, !0];
	return ret;
}, joinAs = dual(3, (self, fiberId, that) => {
	let parentFiberRefs = new Map(self.locals);
	return that.locals.forEach((childStack, fiberRef) => {
		let childValue = childStack[0][1];
		if (!childStack[0][0][symbol](fiberId)) {
			if (!parentFiberRefs.has(fiberRef)) {
				if (equals$2(childValue, fiberRef.initial)) return;
				parentFiberRefs.set(fiberRef, [[fiberId, fiberRef.join(fiberRef.initial, childValue)]]);
				return;
			}
			let parentStack = parentFiberRefs.get(fiberRef), [ancestor, wasModified] = findAncestor(fiberRef, parentStack, childStack);
			if (wasModified) {
				let patch = fiberRef.diff(ancestor, childValue), oldValue = parentStack[0][1], newValue = fiberRef.join(oldValue, fiberRef.patch(patch)(oldValue));
				if (!equals$2(oldValue, newValue)) {
					let newStack, parentFiberId = parentStack[0][0];
					newStack = parentFiberId[symbol](fiberId) ? [[parentFiberId, newValue], ...parentStack.slice(1)] : [[fiberId, newValue], ...parentStack], parentFiberRefs.set(fiberRef, newStack);
				}
			}
		}
	}), new FiberRefsImpl(parentFiberRefs);
}), forkAs = dual(2, (self, childId) => {
	let map = new Map();
	return unsafeForkAs(self, map, childId), new FiberRefsImpl(map);
}), unsafeForkAs = (self, map, fiberId) => {
	self.locals.forEach((stack, fiberRef) => {
		let oldValue = stack[0][1], newValue = fiberRef.patch(fiberRef.fork)(oldValue);
		equals$2(oldValue, newValue) ? map.set(fiberRef, stack) : map.set(fiberRef, [[fiberId, newValue], ...stack]);
	});
}, delete_ = dual(2, (self, fiberRef) => {
	let locals = new Map(self.locals);
	return locals.delete(fiberRef), new FiberRefsImpl(locals);
}), get$1 = dual(2, (self, fiberRef) => self.locals.has(fiberRef) ? some(headNonEmpty$1(self.locals.get(fiberRef))[1]) : none$4()), getOrDefault$1 = dual(2, (self, fiberRef) => pipe(get$1(self, fiberRef), getOrElse(() => fiberRef.initial))), updateAs = dual(2, (self, { fiberId, fiberRef, value }) => {
	if (self.locals.size === 0) return new FiberRefsImpl(new Map([[fiberRef, [[fiberId, value]]]]));
	let locals = new Map(self.locals);
	return unsafeUpdateAs(locals, fiberId, fiberRef, value), new FiberRefsImpl(locals);
}), unsafeUpdateAs = (locals, fiberId, fiberRef, value) => {
	let oldStack = locals.get(fiberRef) ?? [], newStack;
	if (isNonEmptyReadonlyArray(oldStack)) {
		let [currentId, currentValue] = headNonEmpty$1(oldStack);
		if (currentId[symbol](fiberId)) {
			if (equals$2(currentValue, value)) return;
			newStack = [[fiberId, value], ...oldStack.slice(1)];
		} else newStack = [[fiberId, value], ...oldStack];
	} else newStack = [[fiberId, value]];
	locals.set(fiberRef, newStack);
}, updateManyAs$1 = dual(2, (self, { entries, forkAs }) => {
	if (self.locals.size === 0) return new FiberRefsImpl(new Map(entries));
	let locals = new Map(self.locals);
	return forkAs !== void 0 && unsafeForkAs(self, locals, forkAs), entries.forEach(([fiberRef, values]) => {
		values.length === 1 ? unsafeUpdateAs(locals, values[0][0], fiberRef, values[0][1]) : values.forEach(([fiberId, value]) => {
			unsafeUpdateAs(locals, fiberId, fiberRef, value);
		});
	}), new FiberRefsImpl(locals);
}), getOrDefault = getOrDefault$1, updateManyAs = updateManyAs$1, empty$3 = empty$4, OP_EMPTY$1 = "Empty", OP_REMOVE = "Remove", OP_UPDATE = "Update", OP_AND_THEN$1 = "AndThen", empty$2 = { _tag: OP_EMPTY$1 }, diff$2 = (oldValue, newValue) => {
	let missingLocals = new Map(oldValue.locals), patch = empty$2;
	for (let [fiberRef, pairs] of newValue.locals.entries()) {
		let newValue = headNonEmpty$1(pairs)[1], old = missingLocals.get(fiberRef);
		if (old !== void 0) {
			let oldValue = headNonEmpty$1(old)[1];
			equals$2(oldValue, newValue) || (patch = combine$1({
				_tag: OP_UPDATE,
				fiberRef,
				patch: fiberRef.diff(oldValue, newValue)
			})(patch));
		} else patch = combine$1({
			_tag: "Add",
			fiberRef,
			value: newValue
		})(patch);
		missingLocals.delete(fiberRef);
	}
	for (let [fiberRef] of missingLocals.entries()) patch = combine$1({
		_tag: OP_REMOVE,
		fiberRef
	})(patch);
	return patch;
}, combine$1 = dual(2, (self, that) => ({
	_tag: OP_AND_THEN$1,
	first: self,
	second: that
})), patch$2 = dual(3, (self, fiberId, oldValue) => {
	let fiberRefs = oldValue, patches = of$2(self);
	for (; isNonEmptyReadonlyArray(patches);) {
		let head = headNonEmpty$1(patches), tail = tailNonEmpty$1(patches);
		switch (head._tag) {
			case OP_EMPTY$1:
				patches = tail;
				break;
			case "Add":
				fiberRefs = updateAs(fiberRefs, {
					fiberId,
					fiberRef: head.fiberRef,
					value: head.value
				}), patches = tail;
				break;
			case OP_REMOVE:
				fiberRefs = delete_(fiberRefs, head.fiberRef), patches = tail;
				break;
			case OP_UPDATE: {
				let value = getOrDefault$1(fiberRefs, head.fiberRef);
				fiberRefs = updateAs(fiberRefs, {
					fiberId,
					fiberRef: head.fiberRef,
					value: head.fiberRef.patch(head.patch)(value)
				}), patches = tail;
				break;
			}
			case OP_AND_THEN$1: patches = prepend$2(head.first)(prepend$2(head.second)(tail));
		}
	}
	return fiberRefs;
}), diff$1 = diff$2, patch$1 = patch$2, FiberStatusSymbolKey = "effect/FiberStatus", FiberStatusTypeId = Symbol.for(FiberStatusSymbolKey), OP_DONE = "Done", DoneHash = string(`${FiberStatusSymbolKey}-${OP_DONE}`);
var Done = class {
	[FiberStatusTypeId] = FiberStatusTypeId;
	_tag = OP_DONE;
	[symbol$1]() {
		return DoneHash;
	}
	[symbol](that) {
		return isFiberStatus(that) && that._tag === "Done";
	}
}, Running = class {
	runtimeFlags;
	[FiberStatusTypeId] = FiberStatusTypeId;
	_tag = "Running";
	constructor(runtimeFlags) {
		this.runtimeFlags = runtimeFlags;
	}
	[symbol$1]() {
		return pipe(hash(FiberStatusSymbolKey), combine$5(hash(this._tag)), combine$5(hash(this.runtimeFlags)), cached(this));
	}
	[symbol](that) {
		return isFiberStatus(that) && that._tag === "Running" && this.runtimeFlags === that.runtimeFlags;
	}
}, Suspended = class {
	runtimeFlags;
	blockingOn;
	[FiberStatusTypeId] = FiberStatusTypeId;
	_tag = "Suspended";
	constructor(runtimeFlags, blockingOn) {
		this.runtimeFlags = runtimeFlags, this.blockingOn = blockingOn;
	}
	[symbol$1]() {
		return pipe(hash(FiberStatusSymbolKey), combine$5(hash(this._tag)), combine$5(hash(this.runtimeFlags)), combine$5(hash(this.blockingOn)), cached(this));
	}
	[symbol](that) {
		return isFiberStatus(that) && that._tag === "Suspended" && this.runtimeFlags === that.runtimeFlags && equals$2(this.blockingOn, that.blockingOn);
	}
};
const done$1 = new Done(), running$1 = (runtimeFlags) => new Running(runtimeFlags), suspended$1 = (runtimeFlags, blockingOn) => new Suspended(runtimeFlags, blockingOn), isFiberStatus = (u) => hasProperty(u, FiberStatusTypeId), isDone$1 = (self) => self._tag === OP_DONE, done = done$1, running = running$1, suspended = suspended$1, isDone = isDone$1, All = logLevelAll, Fatal = logLevelFatal, Error$2 = logLevelError, Warning = logLevelWarning, Info = logLevelInfo, Debug = logLevelDebug, Trace = logLevelTrace, None = logLevelNone, greaterThan = greaterThan$1(pipe(Order$1, mapInput((level) => level.ordinal))), fromLiteral = (literal) => {
	switch (literal) {
		case "All": return All;
		case "Debug": return Debug;
		case "Error": return Error$2;
		case "Fatal": return Fatal;
		case "Info": return Info;
		case "Trace": return Trace;
		case "None": return None;
		case "Warning": return Warning;
	}
}, TypeId$4 = Symbol.for("effect/Micro"), MicroExitTypeId = Symbol.for("effect/Micro/MicroExit"), MicroCauseTypeId = Symbol.for("effect/Micro/MicroCause"), microCauseVariance = { _E: identity };
var MicroCauseImpl = class extends globalThis.Error {
	_tag;
	traces;
	[MicroCauseTypeId];
	constructor(_tag, originalError, traces) {
		let causeName = `MicroCause.${_tag}`, name, message, stack;
		if (originalError instanceof globalThis.Error) {
			name = `(${causeName}) ${originalError.name}`, message = originalError.message;
			let messageLines = message.split("\n").length;
			stack = originalError.stack ? `(${causeName}) ${originalError.stack.split("\n").slice(0, messageLines + 3).join("\n")}` : `${name}: ${message}`;
		} else name = causeName, message = toStringUnknown(originalError, 0), stack = `${name}: ${message}`;
		traces.length > 0 && (stack += `\n    ${traces.join("\n    ")}`), super(message), this._tag = _tag, this.traces = traces, this[MicroCauseTypeId] = microCauseVariance, this.name = name, this.stack = stack;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	toString() {
		return this.stack;
	}
	[NodeInspectSymbol]() {
		return this.stack;
	}
}, Die = class extends MicroCauseImpl {
	defect;
	constructor(defect, traces = []) {
		super("Die", defect, traces), this.defect = defect;
	}
};
const causeDie = (defect, traces = []) => new Die(defect, traces);
var Interrupt = class extends MicroCauseImpl {
	constructor(traces = []) {
		super("Interrupt", "interrupted", traces);
	}
};
const causeInterrupt = (traces = []) => new Interrupt(traces), causeIsInterrupt = (self) => self._tag === "Interrupt", MicroFiberTypeId = Symbol.for("effect/Micro/MicroFiber"), fiberVariance$1 = {
	_A: identity,
	_E: identity
};
var MicroFiberImpl = class {
	context;
	interruptible;
	[MicroFiberTypeId];
	_stack = [];
	_observers = [];
	_exit;
	_children;
	currentOpCount = 0;
	constructor(context, interruptible = !0) {
		this.context = context, this.interruptible = interruptible, this[MicroFiberTypeId] = fiberVariance$1;
	}
	getRef(ref) {
		return unsafeGetReference(this.context, ref);
	}
	addObserver(cb) {
		return this._exit ? (cb(this._exit), constVoid) : (this._observers.push(cb), () => {
			let index = this._observers.indexOf(cb);
			index >= 0 && this._observers.splice(index, 1);
		});
	}
	_interrupted = !1;
	unsafeInterrupt() {
		this._exit || (this._interrupted = !0, this.interruptible && this.evaluate(exitInterrupt));
	}
	unsafePoll() {
		return this._exit;
	}
	evaluate(effect) {
		if (this._exit) return;
		if (this._yielded !== void 0) {
			let yielded = this._yielded;
			this._yielded = void 0, yielded();
		}
		let exit = this.runLoop(effect);
		if (exit === Yield) return;
		let interruptChildren = fiberMiddleware.interruptChildren && fiberMiddleware.interruptChildren(this);
		if (interruptChildren !== void 0) return this.evaluate(flatMap$2(interruptChildren, () => exit));
		this._exit = exit;
		for (let i = 0; i < this._observers.length; i++) this._observers[i](exit);
		this._observers.length = 0;
	}
	runLoop(effect) {
		let yielding = !1, current = effect;
		this.currentOpCount = 0;
		try {
			for (;;) {
				if (this.currentOpCount++, !yielding && this.getRef(CurrentScheduler).shouldYield(this)) {
					yielding = !0;
					let prev = current;
					current = flatMap$2(yieldNow$1, () => prev);
				}
				if (current = current[evaluate](this), current === Yield) {
					let yielded = this._yielded;
					return MicroExitTypeId in yielded ? (this._yielded = void 0, yielded) : Yield;
				}
			}
		} catch (error) {
			return hasProperty(current, evaluate) ? exitDie(error) : exitDie(`MicroFiber.runLoop: Not a valid effect: ${String(current)}`);
		}
	}
	getCont(symbol) {
		for (;;) {
			let op = this._stack.pop();
			if (!op) return;
			let cont = op[ensureCont] && op[ensureCont](this);
			if (cont) return { [symbol]: cont };
			if (op[symbol]) return op;
		}
	}
	_yielded = void 0;
	yieldWith(value) {
		return this._yielded = value, Yield;
	}
	children() {
		return this._children ??= new Set();
	}
};
const fiberMiddleware = globalValue("effect/Micro/fiberMiddleware", () => ({ interruptChildren: void 0 })), identifier = Symbol.for("effect/Micro/identifier"), args = Symbol.for("effect/Micro/args"), evaluate = Symbol.for("effect/Micro/evaluate"), successCont = Symbol.for("effect/Micro/successCont"), failureCont = Symbol.for("effect/Micro/failureCont"), ensureCont = Symbol.for("effect/Micro/ensureCont"), Yield = Symbol.for("effect/Micro/Yield"), microVariance = {
	_A: identity,
	_E: identity,
	_R: identity
}, MicroProto = {
	...EffectPrototype,
	_op: "Micro",
	[TypeId$4]: microVariance,
	pipe() {
		return pipeArguments(this, arguments);
	},
	[Symbol.iterator]() {
		return new SingleShotGen$1(new YieldWrap(this));
	},
	toJSON() {
		return {
			_id: "Micro",
			op: this[identifier],
			...args in this ? { args: this[args] } : void 0
		};
	},
	toString() {
		return format$4(this);
	},
	[NodeInspectSymbol]() {
		return format$4(this);
	}
};
function defaultEvaluate(_fiber) {
	return exitDie("Micro.evaluate: Not implemented");
}
const makePrimitiveProto = (options) => ({
	...MicroProto,
	[identifier]: options.op,
	[evaluate]: options.eval ?? defaultEvaluate,
	[successCont]: options.contA,
	[failureCont]: options.contE,
	[ensureCont]: options.ensure
}), makePrimitive = (options) => {
	let Proto = makePrimitiveProto(options);
	return function() {
		let self = Object.create(Proto);
		return self[args] = options.single === !1 ? arguments : arguments[0], self;
	};
}, makeExit = (options) => {
	let Proto = {
		...makePrimitiveProto(options),
		[MicroExitTypeId]: MicroExitTypeId,
		_tag: options.op,
		get [options.prop]() {
			return this[args];
		},
		toJSON() {
			return {
				_id: "MicroExit",
				_tag: options.op,
				[options.prop]: this[args]
			};
		},
		[symbol](that) {
			return isMicroExit(that) && that._tag === options.op && equals$2(this[args], that[args]);
		},
		[symbol$1]() {
			return cached(this, combine$5(string(options.op))(hash(this[args])));
		}
	};
	return function(value) {
		let self = Object.create(Proto);
		return self[args] = value, self[successCont] = void 0, self[failureCont] = void 0, self[ensureCont] = void 0, self;
	};
}, succeed$2 = makeExit({
	op: "Success",
	prop: "value",
	eval(fiber) {
		let cont = fiber.getCont(successCont);
		return cont ? cont[successCont](this[args], fiber) : fiber.yieldWith(this);
	}
}), failCause = makeExit({
	op: "Failure",
	prop: "cause",
	eval(fiber) {
		let cont = fiber.getCont(failureCont);
		for (; causeIsInterrupt(this[args]) && cont && fiber.interruptible;) cont = fiber.getCont(failureCont);
		return cont ? cont[failureCont](this[args], fiber) : fiber.yieldWith(this);
	}
}), yieldNow$1 = makePrimitive({
	op: "Yield",
	eval(fiber) {
		let resumed = !1;
		return fiber.getRef(CurrentScheduler).scheduleTask(() => {
			resumed || fiber.evaluate(exitVoid);
		}, this[args] ?? 0), fiber.yieldWith(() => {
			resumed = !0;
		});
	}
})(0), void_ = succeed$2(void 0), withMicroFiber = makePrimitive({
	op: "WithMicroFiber",
	eval(fiber) {
		return this[args](fiber);
	}
}), flatMap$2 = dual(2, (self, f) => {
	let onSuccess = Object.create(OnSuccessProto);
	return onSuccess[args] = self, onSuccess[successCont] = f, onSuccess;
}), OnSuccessProto = makePrimitiveProto({
	op: "OnSuccess",
	eval(fiber) {
		return fiber._stack.push(this), this[args];
	}
}), isMicroExit = (u) => hasProperty(u, MicroExitTypeId), exitSucceed = succeed$2, exitFailCause = failCause, exitInterrupt = exitFailCause(causeInterrupt()), exitDie = (defect) => exitFailCause(causeDie(defect)), exitVoid = exitSucceed(void 0), setImmediate = "setImmediate" in globalThis ? globalThis.setImmediate : (f) => setTimeout(f, 0);
var MicroSchedulerDefault = class {
	tasks = [];
	running = !1;
	scheduleTask(task, _priority) {
		this.tasks.push(task), this.running || (this.running = !0, setImmediate(this.afterScheduled));
	}
	afterScheduled = () => {
		this.running = !1, this.runTasks();
	};
	runTasks() {
		let tasks = this.tasks;
		this.tasks = [];
		for (let i = 0, len = tasks.length; i < len; i++) tasks[i]();
	}
	shouldYield(fiber) {
		return fiber.currentOpCount >= fiber.getRef(MaxOpsBeforeYield);
	}
	flush() {
		for (; this.tasks.length > 0;) this.runTasks();
	}
};
const updateContext = dual(2, (self, f) => withMicroFiber((fiber) => {
	let prev = fiber.context;
	return fiber.context = f(prev), onExit(self, () => (fiber.context = prev, void_));
})), provideContext = dual(2, (self, provided) => updateContext(self, merge$1(provided)));
var MaxOpsBeforeYield = class extends Reference()("effect/Micro/currentMaxOpsBeforeYield", { defaultValue: () => 2048 }) {}, CurrentScheduler = class extends Reference()("effect/Micro/currentScheduler", { defaultValue: () => new MicroSchedulerDefault() }) {};
const matchCauseEffect = dual(2, (self, options) => {
	let primitive = Object.create(OnSuccessAndFailureProto);
	return primitive[args] = self, primitive[successCont] = options.onSuccess, primitive[failureCont] = options.onFailure, primitive;
}), OnSuccessAndFailureProto = makePrimitiveProto({
	op: "OnSuccessAndFailure",
	eval(fiber) {
		return fiber._stack.push(this), this[args];
	}
}), onExit = dual(2, (self, f) => uninterruptibleMask((restore) => matchCauseEffect(restore(self), {
	onFailure: (cause) => flatMap$2(f(exitFailCause(cause)), () => failCause(cause)),
	onSuccess: (a) => flatMap$2(f(exitSucceed(a)), () => succeed$2(a))
}))), setInterruptible = makePrimitive({
	op: "SetInterruptible",
	ensure(fiber) {
		if (fiber.interruptible = this[args], fiber._interrupted && fiber.interruptible) return () => exitInterrupt;
	}
}), interruptible = (self) => withMicroFiber((fiber) => fiber.interruptible ? self : (fiber.interruptible = !0, fiber._stack.push(setInterruptible(!1)), fiber._interrupted ? exitInterrupt : self)), uninterruptibleMask = (f) => withMicroFiber((fiber) => fiber.interruptible ? (fiber.interruptible = !1, fiber._stack.push(setInterruptible(!0)), f(interruptible)) : f(identity)), runFork = (effect, options) => {
	let fiber = new MicroFiberImpl(CurrentScheduler.context(options?.scheduler ?? new MicroSchedulerDefault()));
	if (fiber.evaluate(effect), options?.signal) {
		if (options.signal.aborted) fiber.unsafeInterrupt();
		else {
			let abort = () => fiber.unsafeInterrupt();
			options.signal.addEventListener("abort", abort, { once: !0 }), fiber.addObserver(() => options.signal.removeEventListener("abort", abort));
		}
	}
	return fiber;
};
// node_modules/effect/dist/esm/Scheduler.js
var SchedulerRunner = class SchedulerRunner {
	scheduleDrain;
	running = !1;
	tasks = new PriorityBuckets();
	constructor(scheduleDrain) {
		this.scheduleDrain = scheduleDrain;
	}
	starveInternal = (depth) => {
		let tasks = this.tasks.buckets;
		this.tasks.buckets = [];
		for (let [_, toRun] of tasks) for (let i = 0; i < toRun.length; i++) toRun[i]();
		this.tasks.buckets.length === 0 ? this.running = !1 : this.starve(depth);
	};
	starve(depth = 0) {
		this.scheduleDrain(depth, this.starveInternal);
	}
	scheduleTask(task, priority) {
		this.tasks.scheduleTask(task, priority), this.running || (this.running = !0, this.starve());
	}
	static cached(scheduleDrain) {
		let fallback = new SchedulerRunner(scheduleDrain), runners = new WeakMap();
		return (fiber) => {
			if (fiber === void 0) return fallback;
			let runner = runners.get(fiber);
			return runner === void 0 && (runner = new SchedulerRunner(scheduleDrain), runners.set(fiber, runner)), runner;
		};
	}
}, PriorityBuckets = class {
	buckets = [];
	scheduleTask(task, priority) {
		let length = this.buckets.length, bucket, index = 0;
		for (; index < length && this.buckets[index][0] <= priority; index++) bucket = this.buckets[index];
		bucket && bucket[0] === priority ? bucket[1].push(task) : index === length ? this.buckets.push([priority, [task]]) : this.buckets.splice(index, 0, [priority, [task]]);
	}
}, MixedScheduler = class {
	maxNextTickBeforeTimer;
	getRunner = SchedulerRunner.cached((depth, drain) => {
		depth >= this.maxNextTickBeforeTimer ? setTimeout(() => drain(0), 0) : Promise.resolve(void 0).then(() => drain(depth + 1));
	});
	constructor(maxNextTickBeforeTimer) {
		this.maxNextTickBeforeTimer = maxNextTickBeforeTimer;
	}
	shouldYield(fiber) {
		return fiber.currentOpCount > fiber.getFiberRef(currentMaxOpsBeforeYield) && fiber.getFiberRef(currentSchedulingPriority);
	}
	scheduleTask(task, priority, fiber) {
		this.getRunner(fiber).scheduleTask(task, priority);
	}
};
const defaultScheduler = globalValue(Symbol.for("effect/Scheduler/defaultScheduler"), () => new MixedScheduler(2048));
var SyncScheduler = class {
	tasks = new PriorityBuckets();
	deferred = !1;
	scheduleTask(task, priority, fiber) {
		this.deferred ? defaultScheduler.scheduleTask(task, priority, fiber) : this.tasks.scheduleTask(task, priority);
	}
	shouldYield(fiber) {
		return fiber.currentOpCount > fiber.getFiberRef(currentMaxOpsBeforeYield) && fiber.getFiberRef(currentSchedulingPriority);
	}
	flush() {
		for (; this.tasks.buckets.length > 0;) {
			let tasks = this.tasks.buckets;
			this.tasks.buckets = [];
			for (let [_, toRun] of tasks) for (let i = 0; i < toRun.length; i++) toRun[i]();
		}
		this.deferred = !0;
	}
};
const currentScheduler = globalValue(Symbol.for("effect/FiberRef/currentScheduler"), () => fiberRefUnsafeMake(defaultScheduler)), currentRequestMap = globalValue(Symbol.for("effect/FiberRef/currentRequestMap"), () => fiberRefUnsafeMake(new Map())), match = (concurrency, sequential, unbounded, bounded) => {
	switch (concurrency) {
		case void 0: return sequential();
		case "unbounded": return unbounded();
		case "inherit": return fiberRefGetWith(currentConcurrency, (concurrency) => concurrency === "unbounded" ? unbounded() : concurrency > 1 ? bounded(concurrency) : sequential());
		default: return concurrency > 1 ? bounded(concurrency) : sequential();
	}
}, formatLabel = (key) => key.replace(/[\s="]/g, "_"), render = (now) => (self) => `${formatLabel(self.label)}=${now - self.startTime}ms`, MetricLabelSymbolKey = "effect/MetricLabel", MetricLabelTypeId = Symbol.for(MetricLabelSymbolKey);
var MetricLabelImpl = class {
	key;
	value;
	[MetricLabelTypeId] = MetricLabelTypeId;
	_hash;
	constructor(key, value) {
		this.key = key, this.value = value, this._hash = string(MetricLabelSymbolKey + this.key + this.value);
	}
	[symbol$1]() {
		return this._hash;
	}
	[symbol](that) {
		return isMetricLabel(that) && this.key === that.key && this.value === that.value;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const make$8 = (key, value) => new MetricLabelImpl(key, value), isMetricLabel = (u) => hasProperty(u, MetricLabelTypeId), filterDisablePropagation = flatMap$5((span) => get$4(span.context, DisablePropagation) ? span._tag === "Span" ? filterDisablePropagation(span.parent) : none$4() : some(span)), OP_INTERRUPT_SIGNAL = "InterruptSignal", OP_STATEFUL = "Stateful", OP_RESUME = "Resume", OP_YIELD_NOW = "YieldNow", interruptSignal = (cause) => ({
	_tag: OP_INTERRUPT_SIGNAL,
	cause
}), stateful = (onFiber) => ({
	_tag: OP_STATEFUL,
	onFiber
}), resume = (effect) => ({
	_tag: OP_RESUME,
	effect
}), yieldNow = () => ({ _tag: OP_YIELD_NOW }), FiberScopeTypeId = Symbol.for("effect/FiberScope");
var Global = class {
	[FiberScopeTypeId] = FiberScopeTypeId;
	fiberId = none$2;
	roots = new Set();
	add(_runtimeFlags, child) {
		this.roots.add(child), child.addObserver(() => {
			this.roots.delete(child);
		});
	}
}, Local = class {
	fiberId;
	parent;
	[FiberScopeTypeId] = FiberScopeTypeId;
	constructor(fiberId, parent) {
		this.fiberId = fiberId, this.parent = parent;
	}
	add(_runtimeFlags, child) {
		this.parent.tell(stateful((parentFiber) => {
			parentFiber.addChild(child), child.addObserver(() => {
				parentFiber.removeChild(child);
			});
		}));
	}
};
const unsafeMake$1 = (fiber) => new Local(fiber.id(), fiber), globalScope = globalValue(Symbol.for("effect/FiberScope/Global"), () => new Global()), FiberTypeId = Symbol.for("effect/Fiber"), fiberVariance = {
	_E: (_) => _,
	_A: (_) => _
}, fiberProto = {
	[FiberTypeId]: fiberVariance,
	pipe() {
		return pipeArguments(this, arguments);
	}
}, RuntimeFiberTypeId = Symbol.for("effect/Fiber"), join = (self) => zipLeft(flatten(self.await), self.inheritAll);
({ ...CommitPrototype }), { ...fiberProto };
const currentFiberURI = "effect/FiberCurrent", LoggerTypeId = Symbol.for("effect/Logger"), loggerVariance = {
	_Message: (_) => _,
	_Output: (_) => _
}, makeLogger = (log) => ({
	[LoggerTypeId]: loggerVariance,
	log,
	pipe() {
		return pipeArguments(this, arguments);
	}
}), textOnly = /^[^\s"=]*$/, stringLogger = makeLogger(((quoteValue, whitespace) => ({ annotations, cause, date, fiberId, logLevel, message, spans }) => {
	let formatValue = (value) => value.match(textOnly) ? value : quoteValue(value), format = (label, value) => `${formatLabel(label)}=${formatValue(value)}`, append = (label, value) => " " + format(label, value), out = format("timestamp", date.toISOString());
	out += append("level", logLevel.label), out += append("fiber", threadName$1(fiberId));
	let messages = ensure(message);
	for (let i = 0; i < messages.length; i++) out += append("message", toStringUnknown(messages[i], whitespace));
	isEmptyType(cause) || (out += append("cause", pretty(cause, { renderErrorCause: !0 })));
	for (let span of spans) out += " " + render(date.getTime())(span);
	for (let [label, value] of annotations) out += append(label, toStringUnknown(value, whitespace));
	return out;
})((s) => `"${s.replace(/\\([\s\S])|(")/g, "\\$1$2")}"`)), colors = {
	bold: "1",
	red: "31",
	green: "32",
	yellow: "33",
	blue: "34",
	cyan: "36",
	white: "37",
	gray: "90",
	black: "30",
	bgBrightRed: "101"
};
colors.gray, colors.blue, colors.green, colors.yellow, colors.red, colors.bgBrightRed, colors.black;
const hasProcessStdout = typeof process == "object" && process !== null && typeof process.stdout == "object" && process.stdout !== null;
hasProcessStdout && process.stdout.isTTY, hasProcessStdout || "Deno" in globalThis;
// node_modules/effect/dist/esm/internal/metric/boundaries.js
const MetricBoundariesSymbolKey = "effect/MetricBoundaries", MetricBoundariesTypeId = Symbol.for(MetricBoundariesSymbolKey);
var MetricBoundariesImpl = class {
	values;
	[MetricBoundariesTypeId] = MetricBoundariesTypeId;
	constructor(values) {
		this.values = values, this._hash = pipe(string(MetricBoundariesSymbolKey), combine$5(array(this.values)));
	}
	_hash;
	[symbol$1]() {
		return this._hash;
	}
	[symbol](u) {
		return isMetricBoundaries(u) && equals$2(this.values, u.values);
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const isMetricBoundaries = (u) => hasProperty(u, MetricBoundariesTypeId), fromIterable = (iterable) => new MetricBoundariesImpl(pipe(iterable, appendAll$2(of$1(Infinity)), dedupe)), exponential = (options) => pipe(makeBy(options.count - 1, (i) => options.start * options.factor ** +i), unsafeFromArray, fromIterable), MetricKeyTypeTypeId = Symbol.for("effect/MetricKeyType"), CounterKeyTypeSymbolKey = "effect/MetricKeyType/Counter", CounterKeyTypeTypeId = Symbol.for(CounterKeyTypeSymbolKey), FrequencyKeyTypeTypeId = Symbol.for("effect/MetricKeyType/Frequency"), GaugeKeyTypeTypeId = Symbol.for("effect/MetricKeyType/Gauge"), HistogramKeyTypeSymbolKey = "effect/MetricKeyType/Histogram", HistogramKeyTypeTypeId = Symbol.for(HistogramKeyTypeSymbolKey), SummaryKeyTypeTypeId = Symbol.for("effect/MetricKeyType/Summary"), metricKeyTypeVariance = {
	_In: (_) => _,
	_Out: (_) => _
};
var CounterKeyType = class {
	incremental;
	bigint;
	[MetricKeyTypeTypeId] = metricKeyTypeVariance;
	[CounterKeyTypeTypeId] = CounterKeyTypeTypeId;
	constructor(incremental, bigint) {
		this.incremental = incremental, this.bigint = bigint, this._hash = string(CounterKeyTypeSymbolKey);
	}
	_hash;
	[symbol$1]() {
		return this._hash;
	}
	[symbol](that) {
		return isCounterKey(that);
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
}, HistogramKeyType = class {
	boundaries;
	[MetricKeyTypeTypeId] = metricKeyTypeVariance;
	[HistogramKeyTypeTypeId] = HistogramKeyTypeTypeId;
	constructor(boundaries) {
		this.boundaries = boundaries, this._hash = pipe(string(HistogramKeyTypeSymbolKey), combine$5(hash(this.boundaries)));
	}
	_hash;
	[symbol$1]() {
		return this._hash;
	}
	[symbol](that) {
		return isHistogramKey(that) && equals$2(this.boundaries, that.boundaries);
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const counter$4 = (options) => new CounterKeyType(options?.incremental ?? !1, options?.bigint ?? !1), histogram$4 = (boundaries) => new HistogramKeyType(boundaries), isCounterKey = (u) => hasProperty(u, CounterKeyTypeTypeId), isFrequencyKey = (u) => hasProperty(u, FrequencyKeyTypeTypeId), isGaugeKey = (u) => hasProperty(u, GaugeKeyTypeTypeId), isHistogramKey = (u) => hasProperty(u, HistogramKeyTypeTypeId), isSummaryKey = (u) => hasProperty(u, SummaryKeyTypeTypeId), MetricKeyTypeId = Symbol.for("effect/MetricKey"), metricKeyVariance = { _Type: (_) => _ }, arrayEquivilence = getEquivalence$2(equals$2);
var MetricKeyImpl = class {
	name;
	keyType;
	description;
	tags;
	[MetricKeyTypeId] = metricKeyVariance;
	constructor(name, keyType, description, tags = []) {
		this.name = name, this.keyType = keyType, this.description = description, this.tags = tags, this._hash = pipe(string(this.name + this.description), combine$5(hash(this.keyType)), combine$5(array(this.tags)));
	}
	_hash;
	[symbol$1]() {
		return this._hash;
	}
	[symbol](u) {
		return isMetricKey(u) && this.name === u.name && equals$2(this.keyType, u.keyType) && equals$2(this.description, u.description) && arrayEquivilence(this.tags, u.tags);
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const isMetricKey = (u) => hasProperty(u, MetricKeyTypeId), counter$3 = (name, options) => new MetricKeyImpl(name, counter$4(options), fromNullable(options?.description)), histogram$3 = (name, boundaries, description) => new MetricKeyImpl(name, histogram$4(boundaries), fromNullable(description)), taggedWithLabels$1 = dual(2, (self, extraTags) => extraTags.length === 0 ? self : new MetricKeyImpl(self.name, self.keyType, self.description, union$2(self.tags, extraTags))), TypeId$3 = Symbol.for("effect/MutableHashMap"), MutableHashMapProto = {
	[TypeId$3]: TypeId$3,
	[Symbol.iterator]() {
		return new MutableHashMapIterator(this);
	},
	toString() {
		return format$4(this.toJSON());
	},
	toJSON() {
		return {
			_id: "MutableHashMap",
			values: Array.from(this).map(toJSON)
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
};
var MutableHashMapIterator = class MutableHashMapIterator {
	self;
	referentialIterator;
	bucketIterator;
	constructor(self) {
		this.self = self, this.referentialIterator = self.referential[Symbol.iterator]();
	}
	next() {
		if (this.bucketIterator !== void 0) return this.bucketIterator.next();
		let result = this.referentialIterator.next();
		return result.done ? (this.bucketIterator = new BucketIterator(this.self.buckets.values()), this.next()) : result;
	}
	[Symbol.iterator]() {
		return new MutableHashMapIterator(this.self);
	}
}, BucketIterator = class {
	backing;
	constructor(backing) {
		this.backing = backing;
	}
	currentBucket;
	next() {
		if (this.currentBucket === void 0) {
			let result = this.backing.next();
			if (result.done) return result;
			this.currentBucket = result.value[Symbol.iterator]();
		}
		let result = this.currentBucket.next();
		return result.done ? (this.currentBucket = void 0, this.next()) : result;
	}
};
const empty$1 = () => {
	let self = Object.create(MutableHashMapProto);
	return self.referential = new Map(), self.buckets = new Map(), self.bucketsSize = 0, self;
}, get = dual(2, (self, key) => {
	if (isEqual(key) === !1) return self.referential.has(key) ? some(self.referential.get(key)) : none$4();
	let hash = key[symbol$1](), bucket = self.buckets.get(hash);
	return bucket === void 0 ? none$4() : getFromBucket(self, bucket, key);
}), getFromBucket = (self, bucket, key, remove = !1) => {
	for (let i = 0, len = bucket.length; i < len; i++) if (key[symbol](bucket[i][0])) {
		let value = bucket[i][1];
		return remove && (bucket.splice(i, 1), self.bucketsSize--), some(value);
	}
	return none$4();
}, has = dual(2, (self, key) => isSome(get(self, key))), set = dual(3, (self, key, value) => {
	if (isEqual(key) === !1) return self.referential.set(key, value), self;
	let hash = key[symbol$1](), bucket = self.buckets.get(hash);
	return bucket === void 0 ? (self.buckets.set(hash, [[key, value]]), self.bucketsSize++, self) : (removeFromBucket(self, bucket, key), bucket.push([key, value]), self.bucketsSize++, self);
}), removeFromBucket = (self, bucket, key) => {
	for (let i = 0, len = bucket.length; i < len; i++) if (key[symbol](bucket[i][0])) {
		bucket.splice(i, 1), self.bucketsSize--;
		return;
	}
}, MetricStateTypeId = Symbol.for("effect/MetricState"), CounterStateSymbolKey = "effect/MetricState/Counter", CounterStateTypeId = Symbol.for(CounterStateSymbolKey), FrequencyStateSymbolKey = "effect/MetricState/Frequency", FrequencyStateTypeId = Symbol.for(FrequencyStateSymbolKey), GaugeStateSymbolKey = "effect/MetricState/Gauge", GaugeStateTypeId = Symbol.for(GaugeStateSymbolKey), HistogramStateSymbolKey = "effect/MetricState/Histogram", HistogramStateTypeId = Symbol.for(HistogramStateSymbolKey), SummaryStateSymbolKey = "effect/MetricState/Summary", SummaryStateTypeId = Symbol.for(SummaryStateSymbolKey), metricStateVariance = { _A: (_) => _ };
var CounterState = class {
	count;
	[MetricStateTypeId] = metricStateVariance;
	[CounterStateTypeId] = CounterStateTypeId;
	constructor(count) {
		this.count = count;
	}
	[symbol$1]() {
		return pipe(hash(CounterStateSymbolKey), combine$5(hash(this.count)), cached(this));
	}
	[symbol](that) {
		return isCounterState(that) && this.count === that.count;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const arrayEquals = getEquivalence$2(equals$2);
var FrequencyState = class {
	occurrences;
	[MetricStateTypeId] = metricStateVariance;
	[FrequencyStateTypeId] = FrequencyStateTypeId;
	constructor(occurrences) {
		this.occurrences = occurrences;
	}
	_hash;
	[symbol$1]() {
		return pipe(string(FrequencyStateSymbolKey), combine$5(array(fromIterable$6(this.occurrences.entries()))), cached(this));
	}
	[symbol](that) {
		return isFrequencyState(that) && arrayEquals(fromIterable$6(this.occurrences.entries()), fromIterable$6(that.occurrences.entries()));
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
}, GaugeState = class {
	value;
	[MetricStateTypeId] = metricStateVariance;
	[GaugeStateTypeId] = GaugeStateTypeId;
	constructor(value) {
		this.value = value;
	}
	[symbol$1]() {
		return pipe(hash(GaugeStateSymbolKey), combine$5(hash(this.value)), cached(this));
	}
	[symbol](u) {
		return isGaugeState(u) && this.value === u.value;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
}, HistogramState = class {
	buckets;
	count;
	min;
	max;
	sum;
	[MetricStateTypeId] = metricStateVariance;
	[HistogramStateTypeId] = HistogramStateTypeId;
	constructor(buckets, count, min, max, sum) {
		this.buckets = buckets, this.count = count, this.min = min, this.max = max, this.sum = sum;
	}
	[symbol$1]() {
		return pipe(hash(HistogramStateSymbolKey), combine$5(hash(this.buckets)), combine$5(hash(this.count)), combine$5(hash(this.min)), combine$5(hash(this.max)), combine$5(hash(this.sum)), cached(this));
	}
	[symbol](that) {
		return isHistogramState(that) && equals$2(this.buckets, that.buckets) && this.count === that.count && this.min === that.min && this.max === that.max && this.sum === that.sum;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
}, SummaryState = class {
	error;
	quantiles;
	count;
	min;
	max;
	sum;
	[MetricStateTypeId] = metricStateVariance;
	[SummaryStateTypeId] = SummaryStateTypeId;
	constructor(error, quantiles, count, min, max, sum) {
		this.error = error, this.quantiles = quantiles, this.count = count, this.min = min, this.max = max, this.sum = sum;
	}
	[symbol$1]() {
		return pipe(hash(SummaryStateSymbolKey), combine$5(hash(this.error)), combine$5(hash(this.quantiles)), combine$5(hash(this.count)), combine$5(hash(this.min)), combine$5(hash(this.max)), combine$5(hash(this.sum)), cached(this));
	}
	[symbol](that) {
		return isSummaryState(that) && this.error === that.error && equals$2(this.quantiles, that.quantiles) && this.count === that.count && this.min === that.min && this.max === that.max && this.sum === that.sum;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const counter$2 = (count) => new CounterState(count), frequency$1 = (occurrences) => new FrequencyState(occurrences), gauge$1 = (count) => new GaugeState(count), histogram$2 = (options) => new HistogramState(options.buckets, options.count, options.min, options.max, options.sum), summary$1 = (options) => new SummaryState(options.error, options.quantiles, options.count, options.min, options.max, options.sum), isCounterState = (u) => hasProperty(u, CounterStateTypeId), isFrequencyState = (u) => hasProperty(u, FrequencyStateTypeId), isGaugeState = (u) => hasProperty(u, GaugeStateTypeId), isHistogramState = (u) => hasProperty(u, HistogramStateTypeId), isSummaryState = (u) => hasProperty(u, SummaryStateTypeId), MetricHookTypeId = Symbol.for("effect/MetricHook"), metricHookVariance = {
	_In: (_) => _,
	_Out: (_) => _
}, make$7 = (options) => ({
	[MetricHookTypeId]: metricHookVariance,
	pipe() {
		return pipeArguments(this, arguments);
	},
	...options
}), bigint0$1 = BigInt(0), counter$1 = (key) => {
	let sum = key.keyType.bigint ? bigint0$1 : 0, canUpdate = key.keyType.incremental ? key.keyType.bigint ? (value) => value >= bigint0$1 : (value) => value >= 0 : (_value) => !0, update = (value) => {
		canUpdate(value) && (sum += value);
	};
	return make$7({
		get: () => counter$2(sum),
		update,
		modify: update
	});
}, frequency = (key) => {
	let values = new Map();
	for (let word of key.keyType.preregisteredWords) values.set(word, 0);
	let update = (word) => {
		let slotCount = values.get(word) ?? 0;
		values.set(word, slotCount + 1);
	};
	return make$7({
		get: () => frequency$1(values),
		update,
		modify: update
	});
}, gauge = (_key, startAt) => {
	let value = startAt;
	return make$7({
		get: () => gauge$1(value),
		update: (v) => {
			value = v;
		},
		modify: (v) => {
			value += v;
		}
	});
}, histogram$1 = (key) => {
	let bounds = key.keyType.boundaries.values, size = bounds.length, values = new Uint32Array(size + 1), boundaries = new Float64Array(size), count = 0, sum = 0, min = Number.MAX_VALUE, max = Number.MIN_VALUE;
	pipe(bounds, sort(Order$1), map$5((n, i) => {
		boundaries[i] = n;
	}));
	let update = (value) => {
		let from = 0, to = size;
		for (; from !== to;) {
			let mid = Math.floor(from + (to - from) / 2);
			value <= boundaries[mid] ? to = mid : from = mid, to === from + 1 && (value <= boundaries[from] ? to = from : from = to);
		}
		values[from] = values[from] + 1, count += 1, sum += value, value < min && (min = value), value > max && (max = value);
	}, getBuckets = () => {
		let builder = allocate(size), cumulated = 0;
		for (let i = 0; i < size; i++) {
			let boundary = boundaries[i], value = values[i];
			cumulated += value, builder[i] = [boundary, cumulated];
		}
		return builder;
	};
	return make$7({
		get: () => histogram$2({
			buckets: getBuckets(),
			count,
			min,
			max,
			sum
		}),
		update,
		modify: update
	});
}, summary = (key) => {
	let { error, maxAge, maxSize, quantiles } = key.keyType, sortedQuantiles = pipe(quantiles, sort(Order$1)), values = allocate(maxSize), head = 0, count = 0, sum = 0, min = 0, max = 0, snapshot = (now) => {
		let builder = [], i = 0;
		for (; i !== maxSize - 1;) {
			let item = values[i];
			if (item != null) {
				let [t, v] = item, age = millis(now - t);
				greaterThanOrEqualTo$1(age, zero$1) && lessThanOrEqualTo(age, maxAge) && builder.push(v);
			}
			i += 1;
		}
		return calculateQuantiles(error, sortedQuantiles, sort(builder, Order$1));
	}, observe = (value, timestamp) => {
		if (maxSize > 0) {
			head += 1;
			let target = head % maxSize;
			values[target] = [timestamp, value];
		}
		min = count === 0 ? value : Math.min(min, value), max = count === 0 ? value : Math.max(max, value), count += 1, sum += value;
	};
	return make$7({
		get: () => summary$1({
			error,
			quantiles: snapshot(Date.now()),
			count,
			min,
			max,
			sum
		}),
		update: ([value, timestamp]) => observe(value, timestamp),
		modify: ([value, timestamp]) => observe(value, timestamp)
	});
}, calculateQuantiles = (error, sortedQuantiles, sortedSamples) => {
	let sampleCount = sortedSamples.length;
	if (!isNonEmptyReadonlyArray(sortedQuantiles)) return empty$19();
	let head = sortedQuantiles[0], tail = sortedQuantiles.slice(1), resolvedHead = resolveQuantile(error, sampleCount, none$4(), 0, head, sortedSamples), resolved = of$2(resolvedHead);
	return tail.forEach((quantile) => {
		resolved.push(resolveQuantile(error, sampleCount, resolvedHead.value, resolvedHead.consumed, quantile, resolvedHead.rest));
	}), map$5(resolved, (rq) => [rq.quantile, rq.value]);
}, resolveQuantile = (error, sampleCount, current, consumed, quantile, rest) => {
	let error_1 = error, sampleCount_1 = sampleCount, current_1 = current, consumed_1 = consumed, quantile_1 = quantile, rest_1 = rest, error_2 = error, sampleCount_2 = sampleCount, current_2 = current, consumed_2 = consumed, quantile_2 = quantile, rest_2 = rest;
	for (;;) {
		if (!isNonEmptyReadonlyArray(rest_1)) return {
			quantile: quantile_1,
			value: none$4(),
			consumed: consumed_1,
			rest: []
		};
		if (quantile_1 === 1) return {
			quantile: quantile_1,
			value: some(lastNonEmpty(rest_1)),
			consumed: consumed_1 + rest_1.length,
			rest: []
		};
		let headValue = headNonEmpty$1(rest_1), sameHead = span(rest_1, (n) => n === headValue), desired = quantile_1 * sampleCount_1, allowedError = error_1 / 2 * desired, candConsumed = consumed_1 + sameHead[0].length, candError = Math.abs(candConsumed - desired);
		if (candConsumed < desired - allowedError) error_2 = error_1, sampleCount_2 = sampleCount_1, current_2 = head(rest_1), consumed_2 = candConsumed, quantile_2 = quantile_1, rest_2 = sameHead[1], error_1 = error_2, sampleCount_1 = sampleCount_2, current_1 = current_2, consumed_1 = consumed_2, quantile_1 = quantile_2, rest_1 = rest_2;
		else {
			if (candConsumed > desired + allowedError) {
				let valueToReturn = isNone(current_1) ? some(headValue) : current_1;
				return {
					quantile: quantile_1,
					value: valueToReturn,
					consumed: consumed_1,
					rest: rest_1
				};
			}
			switch (current_1._tag) {
				case "None":
					error_2 = error_1, sampleCount_2 = sampleCount_1, current_2 = head(rest_1), consumed_2 = candConsumed, quantile_2 = quantile_1, rest_2 = sameHead[1], error_1 = error_2, sampleCount_1 = sampleCount_2, current_1 = current_2, consumed_1 = consumed_2, quantile_1 = quantile_2, rest_1 = rest_2;
					continue;
				case "Some":
					if (candError < Math.abs(desired - current_1.value)) {
						error_2 = error_1, sampleCount_2 = sampleCount_1, current_2 = head(rest_1), consumed_2 = candConsumed, quantile_2 = quantile_1, rest_2 = sameHead[1], error_1 = error_2, sampleCount_1 = sampleCount_2, current_1 = current_2, consumed_1 = consumed_2, quantile_1 = quantile_2, rest_1 = rest_2;
						continue;
					}
					return {
						quantile: quantile_1,
						value: some(current_1.value),
						consumed: consumed_1,
						rest: rest_1
					};
			}
		}
	}
	throw Error("BUG: MetricHook.resolveQuantiles - please report an issue at https://github.com/Effect-TS/effect/issues");
}, MetricPairTypeId = Symbol.for("effect/MetricPair"), metricPairVariance = { _Type: (_) => _ }, unsafeMake = (metricKey, metricState) => ({
	[MetricPairTypeId]: metricPairVariance,
	metricKey,
	metricState,
	pipe() {
		return pipeArguments(this, arguments);
	}
}), MetricRegistryTypeId = Symbol.for("effect/MetricRegistry");
var MetricRegistryImpl = class {
	[MetricRegistryTypeId] = MetricRegistryTypeId;
	map = empty$1();
	snapshot() {
		let result = [];
		for (let [key, hook] of this.map) result.push(unsafeMake(key, hook.get()));
		return result;
	}
	get(key) {
		let hook = pipe(this.map, get(key), getOrUndefined);
		if (hook == null) {
			if (isCounterKey(key.keyType)) return this.getCounter(key);
			if (isGaugeKey(key.keyType)) return this.getGauge(key);
			if (isFrequencyKey(key.keyType)) return this.getFrequency(key);
			if (isHistogramKey(key.keyType)) return this.getHistogram(key);
			if (isSummaryKey(key.keyType)) return this.getSummary(key);
			throw Error("BUG: MetricRegistry.get - unknown MetricKeyType - please report an issue at https://github.com/Effect-TS/effect/issues");
		}
		return hook;
	}
	getCounter(key) {
		let value = pipe(this.map, get(key), getOrUndefined);
		if (value == null) {
			let counter = counter$1(key);
			pipe(this.map, has(key)) || pipe(this.map, set(key, counter)), value = counter;
		}
		return value;
	}
	getFrequency(key) {
		let value = pipe(this.map, get(key), getOrUndefined);
		if (value == null) {
			let frequency$2 = frequency(key);
			pipe(this.map, has(key)) || pipe(this.map, set(key, frequency$2)), value = frequency$2;
		}
		return value;
	}
	getGauge(key) {
		let value = pipe(this.map, get(key), getOrUndefined);
		if (value == null) {
			let gauge$2 = gauge(key, key.keyType.bigint ? BigInt(0) : 0);
			pipe(this.map, has(key)) || pipe(this.map, set(key, gauge$2)), value = gauge$2;
		}
		return value;
	}
	getHistogram(key) {
		let value = pipe(this.map, get(key), getOrUndefined);
		if (value == null) {
			let histogram = histogram$1(key);
			pipe(this.map, has(key)) || pipe(this.map, set(key, histogram)), value = histogram;
		}
		return value;
	}
	getSummary(key) {
		let value = pipe(this.map, get(key), getOrUndefined);
		if (value == null) {
			let summary$2 = summary(key);
			pipe(this.map, has(key)) || pipe(this.map, set(key, summary$2)), value = summary$2;
		}
		return value;
	}
};
const make$6 = () => new MetricRegistryImpl(), MetricTypeId = Symbol.for("effect/Metric"), metricVariance = {
	_Type: (_) => _,
	_In: (_) => _,
	_Out: (_) => _
}, globalMetricRegistry = globalValue(Symbol.for("effect/Metric/globalMetricRegistry"), () => make$6()), make$5 = function(keyType, unsafeUpdate, unsafeValue, unsafeModify) {
	let metric = Object.assign((effect) => tap(effect, (a) => update(metric, a)), {
		[MetricTypeId]: metricVariance,
		keyType,
		unsafeUpdate,
		unsafeValue,
		unsafeModify,
		register() {
			return this.unsafeValue([]), this;
		},
		pipe() {
			return pipeArguments(this, arguments);
		}
	});
	return metric;
}, counter = (name, options) => fromMetricKey(counter$3(name, options)), fromMetricKey = (key) => {
	let untaggedHook, hookCache = new WeakMap(), hook = (extraTags) => {
		if (extraTags.length === 0) return untaggedHook === void 0 && (untaggedHook = globalMetricRegistry.get(key)), untaggedHook;
		let hook = hookCache.get(extraTags);
		return hook === void 0 && (hook = globalMetricRegistry.get(taggedWithLabels$1(key, extraTags)), hookCache.set(extraTags, hook)), hook;
	};
	return make$5(key.keyType, (input, extraTags) => hook(extraTags).update(input), (extraTags) => hook(extraTags).get(), (input, extraTags) => hook(extraTags).modify(input));
}, histogram = (name, boundaries, description) => fromMetricKey(histogram$3(name, boundaries, description)), tagged = dual(3, (self, key, value) => taggedWithLabels(self, [make$8(key, value)])), taggedWithLabels = dual(2, (self, extraTags) => make$5(self.keyType, (input, extraTags1) => self.unsafeUpdate(input, union$2(extraTags, extraTags1)), (extraTags1) => self.unsafeValue(union$2(extraTags, extraTags1)), (input, extraTags1) => self.unsafeModify(input, union$2(extraTags, extraTags1)))), update = dual(2, (self, input) => fiberRefGetWith(currentMetricLabels, (tags) => sync(() => self.unsafeUpdate(input, tags))));
({ ...StructuralPrototype });
const complete = dual(2, (self, result) => fiberRefGetWith(currentRequestMap, (map) => sync(() => {
	if (map.has(self)) {
		let entry = map.get(self);
		entry.state.completed || (entry.state.completed = !0, deferredUnsafeDone(entry.result, result));
	}
}))), SupervisorTypeId = Symbol.for("effect/Supervisor"), supervisorVariance = { _T: (_) => _ };
var ProxySupervisor = class ProxySupervisor {
	underlying;
	value0;
	[SupervisorTypeId] = supervisorVariance;
	constructor(underlying, value0) {
		this.underlying = underlying, this.value0 = value0;
	}
	get value() {
		return this.value0;
	}
	onStart(context, effect, parent, fiber) {
		this.underlying.onStart(context, effect, parent, fiber);
	}
	onEnd(value, fiber) {
		this.underlying.onEnd(value, fiber);
	}
	onEffect(fiber, effect) {
		this.underlying.onEffect(fiber, effect);
	}
	onSuspend(fiber) {
		this.underlying.onSuspend(fiber);
	}
	onResume(fiber) {
		this.underlying.onResume(fiber);
	}
	map(f) {
		return new ProxySupervisor(this, pipe(this.value, map$2(f)));
	}
	zip(right) {
		return new Zip(this, right);
	}
}, Zip = class Zip {
	left;
	right;
	_tag = "Zip";
	[SupervisorTypeId] = supervisorVariance;
	constructor(left, right) {
		this.left = left, this.right = right;
	}
	get value() {
		return zip(this.left.value, this.right.value);
	}
	onStart(context, effect, parent, fiber) {
		this.left.onStart(context, effect, parent, fiber), this.right.onStart(context, effect, parent, fiber);
	}
	onEnd(value, fiber) {
		this.left.onEnd(value, fiber), this.right.onEnd(value, fiber);
	}
	onEffect(fiber, effect) {
		this.left.onEffect(fiber, effect), this.right.onEffect(fiber, effect);
	}
	onSuspend(fiber) {
		this.left.onSuspend(fiber), this.right.onSuspend(fiber);
	}
	onResume(fiber) {
		this.left.onResume(fiber), this.right.onResume(fiber);
	}
	map(f) {
		return new ProxySupervisor(this, pipe(this.value, map$2(f)));
	}
	zip(right) {
		return new Zip(this, right);
	}
};
const isZip = (self) => hasProperty(self, SupervisorTypeId) && isTagged(self, "Zip");
var Const = class {
	effect;
	[SupervisorTypeId] = supervisorVariance;
	constructor(effect) {
		this.effect = effect;
	}
	get value() {
		return this.effect;
	}
	onStart(_context, _effect, _parent, _fiber) {}
	onEnd(_value, _fiber) {}
	onEffect(_fiber, _effect) {}
	onSuspend(_fiber) {}
	onResume(_fiber) {}
	map(f) {
		return new ProxySupervisor(this, pipe(this.value, map$2(f)));
	}
	zip(right) {
		return new Zip(this, right);
	}
	onRun(execution, _fiber) {
		return execution();
	}
};
const fromEffect = (effect) => new Const(effect), none = globalValue("effect/Supervisor/none", () => fromEffect(void_$1)), make$4 = make$15, OP_EMPTY = "Empty", OP_ADD_SUPERVISOR = "AddSupervisor", OP_REMOVE_SUPERVISOR = "RemoveSupervisor", OP_AND_THEN = "AndThen", empty = { _tag: OP_EMPTY }, combine = (self, that) => ({
	_tag: OP_AND_THEN,
	first: self,
	second: that
}), patch = (self, supervisor) => patchLoop(supervisor, of$1(self)), patchLoop = (_supervisor, _patches) => {
	let supervisor = _supervisor, patches = _patches;
	for (; isNonEmpty(patches);) {
		let head = headNonEmpty(patches);
		switch (head._tag) {
			case OP_EMPTY:
				patches = tailNonEmpty(patches);
				break;
			case OP_ADD_SUPERVISOR:
				supervisor = supervisor.zip(head.supervisor), patches = tailNonEmpty(patches);
				break;
			case OP_REMOVE_SUPERVISOR:
				supervisor = removeSupervisor(supervisor, head.supervisor), patches = tailNonEmpty(patches);
				break;
			case OP_AND_THEN: patches = prepend$1(head.first)(prepend$1(head.second)(tailNonEmpty(patches)));
		}
	}
	return supervisor;
}, removeSupervisor = (self, that) => equals$2(self, that) ? none : isZip(self) ? removeSupervisor(self.left, that).zip(removeSupervisor(self.right, that)) : self, toSet = (self) => equals$2(self, none) ? empty$15() : isZip(self) ? pipe(toSet(self.left), union(toSet(self.right))) : make$20(self), differ = make$4({
	empty,
	patch,
	combine,
	diff: (oldValue, newValue) => {
		if (equals$2(oldValue, newValue)) return empty;
		let oldSupervisors = toSet(oldValue), newSupervisors = toSet(newValue), added = pipe(newSupervisors, difference(oldSupervisors), reduce$3(empty, (patch, supervisor) => combine(patch, {
			_tag: OP_ADD_SUPERVISOR,
			supervisor
		}))), removed = pipe(oldSupervisors, difference(newSupervisors), reduce$3(empty, (patch, supervisor) => combine(patch, {
			_tag: OP_REMOVE_SUPERVISOR,
			supervisor
		})));
		return combine(added, removed);
	}
}), fiberStarted = counter("effect_fiber_started", { incremental: !0 }), fiberActive = counter("effect_fiber_active"), fiberSuccesses = counter("effect_fiber_successes", { incremental: !0 }), fiberFailures = counter("effect_fiber_failures", { incremental: !0 }), fiberLifetimes = tagged(histogram("effect_fiber_lifetimes", exponential({
	start: .5,
	factor: 2,
	count: 35
})), "time_unit", "milliseconds"), EvaluationSignalContinue = "Continue", EvaluationSignalYieldNow = "Yield", runtimeFiberVariance = {
	_E: (_) => _,
	_A: (_) => _
}, absurd = (_) => {
	throw Error(`BUG: FiberRuntime - ${toStringUnknown(_)} - please report an issue at https://github.com/Effect-TS/effect/issues`);
}, YieldedOp = Symbol.for("effect/internal/fiberRuntime/YieldedOp"), yieldedOpChannel = globalValue("effect/internal/fiberRuntime/yieldedOpChannel", () => ({ currentOp: null })), contOpSuccess = {
	[OP_ON_SUCCESS]: (_, cont, value) => internalCall(() => cont.effect_instruction_i1(value)),
	OnStep: (_, _cont, value) => exitSucceed$1(exitSucceed$1(value)),
	[OP_ON_SUCCESS_AND_FAILURE]: (_, cont, value) => internalCall(() => cont.effect_instruction_i2(value)),
	[OP_REVERT_FLAGS]: (self, cont, value) => (self.patchRuntimeFlags(self.currentRuntimeFlags, cont.patch), interruptible$2(self.currentRuntimeFlags) && self.isInterrupted() ? exitFailCause$1(self.getInterruptedCause()) : exitSucceed$1(value)),
	[OP_WHILE]: (self, cont, value) => (internalCall(() => cont.effect_instruction_i2(value)), internalCall(() => cont.effect_instruction_i0()) ? (self.pushStack(cont), internalCall(() => cont.effect_instruction_i1())) : void_$1),
	[OP_ITERATOR]: (self, cont, value) => {
		for (;;) {
			let state = internalCall(() => cont.effect_instruction_i0.next(value));
			if (state.done) return exitSucceed$1(state.value);
			let primitive = yieldWrapGet(state.value);
			if (!exitIsExit(primitive)) return self.pushStack(cont), primitive;
			if (primitive._tag === "Failure") return primitive;
			value = primitive.value;
		}
	}
}, drainQueueWhileRunningTable = {
	[OP_INTERRUPT_SIGNAL]: (self, runtimeFlags, cur, message) => (self.processNewInterruptSignal(message.cause), interruptible$2(runtimeFlags) ? exitFailCause$1(message.cause) : cur),
	[OP_RESUME]: (_self, _runtimeFlags, _cur, _message) => {
		throw Error("It is illegal to have multiple concurrent run loops in a single fiber");
	},
	[OP_STATEFUL]: (self, runtimeFlags, cur, message) => (message.onFiber(self, running(runtimeFlags)), cur),
	[OP_YIELD_NOW]: (_self, _runtimeFlags, cur, _message) => flatMap$3(yieldNow$2(), () => cur)
}, runBlockedRequests = (self) => forEachSequentialDiscard(flatten$1(self), (requestsByRequestResolver) => forEachConcurrentDiscard(sequentialCollectionToChunk(requestsByRequestResolver), ([dataSource, sequential]) => {
	let map = new Map(), arr = [];
	for (let block of sequential) {
		arr.push(toReadonlyArray(block));
		for (let entry of block) map.set(entry.request, entry);
	}
	let flat = arr.flat();
	return fiberRefLocally(invokeWithInterrupt(dataSource.runAll(arr), flat, () => flat.forEach((entry) => {
		entry.listeners.interrupted = !0;
	})), currentRequestMap, map);
}, !1, !1)), _version = getCurrentVersion();
var FiberRuntime = class extends Class {
	[FiberTypeId] = fiberVariance;
	[RuntimeFiberTypeId] = runtimeFiberVariance;
	_fiberRefs;
	_fiberId;
	_queue = [];
	_children = null;
	_observers = [];
	_running = !1;
	_stack = [];
	_asyncInterruptor = null;
	_asyncBlockingOn = null;
	_exitValue = null;
	_steps = [];
	_isYielding = !1;
	currentRuntimeFlags;
	currentOpCount = 0;
	currentSupervisor;
	currentScheduler;
	currentTracer;
	currentSpan;
	currentContext;
	currentDefaultServices;
	constructor(fiberId, fiberRefs0, runtimeFlags0) {
		if (super(), this.currentRuntimeFlags = runtimeFlags0, this._fiberId = fiberId, this._fiberRefs = fiberRefs0, runtimeMetrics(runtimeFlags0)) {
			let tags = this.getFiberRef(currentMetricLabels);
			fiberStarted.unsafeUpdate(1, tags), fiberActive.unsafeUpdate(1, tags);
		}
		this.refreshRefCache();
	}
	commit() {
		return join(this);
	}
	id() {
		return this._fiberId;
	}
	resume(effect) {
		this.tell(resume(effect));
	}
	get status() {
		return this.ask((_, status) => status);
	}
	get runtimeFlags() {
		return this.ask((state, status) => isDone(status) ? state.currentRuntimeFlags : status.runtimeFlags);
	}
	scope() {
		return unsafeMake$1(this);
	}
	get children() {
		return this.ask((fiber) => Array.from(fiber.getChildren()));
	}
	getChildren() {
		return this._children === null && (this._children = new Set()), this._children;
	}
	getInterruptedCause() {
		return this.getFiberRef(currentInterruptedCause);
	}
	fiberRefs() {
		return this.ask((fiber) => fiber.getFiberRefs());
	}
	ask(f) {
		return suspend$1(() => {
			let deferred = deferredUnsafeMake(this._fiberId);
			return this.tell(stateful((fiber, status) => {
				deferredUnsafeDone(deferred, sync(() => f(fiber, status)));
			})), deferredAwait(deferred);
		});
	}
	tell(message) {
		this._queue.push(message), this._running || (this._running = !0, this.drainQueueLaterOnExecutor());
	}
	get await() {
		return async_((resume) => {
			let cb = (exit) => resume(succeed$3(exit));
			if (this._exitValue !== null) cb(this._exitValue);
			else return this.tell(stateful((fiber, _) => {
				fiber._exitValue === null ? fiber.addObserver(cb) : cb(this._exitValue);
			})), sync(() => this.tell(stateful((fiber, _) => {
				fiber.removeObserver(cb);
			})));
		}, this.id());
	}
	get inheritAll() {
		return withFiberRuntime((parentFiber, parentStatus) => {
			let parentFiberId = parentFiber.id(), parentFiberRefs = parentFiber.getFiberRefs(), parentRuntimeFlags = parentStatus.runtimeFlags, childFiberRefs = this.getFiberRefs(), updatedFiberRefs = joinAs(parentFiberRefs, parentFiberId, childFiberRefs);
			parentFiber.setFiberRefs(updatedFiberRefs);
			let updatedRuntimeFlags = parentFiber.getFiberRef(currentRuntimeFlags), patch = pipe(diff$3(parentRuntimeFlags, updatedRuntimeFlags), exclude(1), exclude(16));
			return updateRuntimeFlags(patch);
		});
	}
	get poll() {
		return sync(() => fromNullable(this._exitValue));
	}
	unsafePoll() {
		return this._exitValue;
	}
	interruptAsFork(fiberId) {
		return sync(() => this.tell(interruptSignal(interrupt(fiberId))));
	}
	unsafeInterruptAsFork(fiberId) {
		this.tell(interruptSignal(interrupt(fiberId)));
	}
	addObserver(observer) {
		this._exitValue === null ? this._observers.push(observer) : observer(this._exitValue);
	}
	removeObserver(observer) {
		this._observers = this._observers.filter((o) => o !== observer);
	}
	getFiberRefs() {
		return this.setFiberRef(currentRuntimeFlags, this.currentRuntimeFlags), this._fiberRefs;
	}
	unsafeDeleteFiberRef(fiberRef) {
		this._fiberRefs = delete_(this._fiberRefs, fiberRef);
	}
	getFiberRef(fiberRef) {
		return this._fiberRefs.locals.has(fiberRef) ? this._fiberRefs.locals.get(fiberRef)[0][1] : fiberRef.initial;
	}
	setFiberRef(fiberRef, value) {
		this._fiberRefs = updateAs(this._fiberRefs, {
			fiberId: this._fiberId,
			fiberRef,
			value
		}), this.refreshRefCache();
	}
	refreshRefCache() {
		this.currentDefaultServices = this.getFiberRef(currentServices), this.currentTracer = this.currentDefaultServices.unsafeMap.get(tracerTag.key), this.currentSupervisor = this.getFiberRef(currentSupervisor), this.currentScheduler = this.getFiberRef(currentScheduler), this.currentContext = this.getFiberRef(currentContext), this.currentSpan = this.currentContext.unsafeMap.get(spanTag.key);
	}
	setFiberRefs(fiberRefs) {
		this._fiberRefs = fiberRefs, this.refreshRefCache();
	}
	addChild(child) {
		this.getChildren().add(child);
	}
	removeChild(child) {
		this.getChildren().delete(child);
	}
	transferChildren(scope) {
		let children = this._children;
		if (this._children = null, children !== null && children.size > 0) for (let child of children) child._exitValue === null && scope.add(this.currentRuntimeFlags, child);
	}
	drainQueueOnCurrentThread() {
		let recurse = !0;
		for (; recurse;) {
			let evaluationSignal = EvaluationSignalContinue, prev = globalThis[currentFiberURI];
			globalThis[currentFiberURI] = this;
			try {
				for (; evaluationSignal === EvaluationSignalContinue;) evaluationSignal = this._queue.length === 0 ? "Done" : this.evaluateMessageWhileSuspended(this._queue.splice(0, 1)[0]);
			} finally {
				this._running = !1, globalThis[currentFiberURI] = prev;
			}
			this._queue.length > 0 && !this._running ? (this._running = !0, evaluationSignal === EvaluationSignalYieldNow ? (this.drainQueueLaterOnExecutor(), recurse = !1) : recurse = !0) : recurse = !1;
		}
	}
	drainQueueLaterOnExecutor() {
		this.currentScheduler.scheduleTask(this.run, this.getFiberRef(currentSchedulingPriority), this);
	}
	drainQueueWhileRunning(runtimeFlags, cur0) {
		let cur = cur0;
		for (; this._queue.length > 0;) {
			let message = this._queue.splice(0, 1)[0];
			cur = drainQueueWhileRunningTable[message._tag](this, runtimeFlags, cur, message);
		}
		return cur;
	}
	isInterrupted() {
		return !isEmpty$1(this.getFiberRef(currentInterruptedCause));
	}
	addInterruptedCause(cause) {
		let oldSC = this.getFiberRef(currentInterruptedCause);
		this.setFiberRef(currentInterruptedCause, sequential$2(oldSC, cause));
	}
	processNewInterruptSignal(cause) {
		this.addInterruptedCause(cause), this.sendInterruptSignalToAllChildren();
	}
	sendInterruptSignalToAllChildren() {
		if (this._children === null || this._children.size === 0) return !1;
		let told = !1;
		for (let child of this._children) child.tell(interruptSignal(interrupt(this.id()))), told = !0;
		return told;
	}
	interruptAllChildren() {
		if (this.sendInterruptSignalToAllChildren()) {
			let it = this._children.values();
			this._children = null;
			let isDone = !1;
			return whileLoop({
				while: () => !isDone,
				body: () => {
					let next = it.next();
					return next.done ? sync(() => {
						isDone = !0;
					}) : asVoid(next.value.await);
				},
				step: () => {}
			});
		}
		return null;
	}
	reportExitValue(exit) {
		if (runtimeMetrics(this.currentRuntimeFlags)) {
			let tags = this.getFiberRef(currentMetricLabels), startTimeMillis = this.id().startTimeMillis, endTimeMillis = Date.now();
			switch (fiberLifetimes.unsafeUpdate(endTimeMillis - startTimeMillis, tags), fiberActive.unsafeUpdate(-1, tags), exit._tag) {
				case OP_SUCCESS:
					fiberSuccesses.unsafeUpdate(1, tags);
					break;
				case OP_FAILURE: fiberFailures.unsafeUpdate(1, tags);
			}
		}
		if (exit._tag === "Failure") {
			let level = this.getFiberRef(currentUnhandledErrorLogLevel);
			!isInterruptedOnly(exit.cause) && level._tag === "Some" && this.log("Fiber terminated with an unhandled error", exit.cause, level);
		}
	}
	setExitValue(exit) {
		this._exitValue = exit, this.reportExitValue(exit);
		for (let i = this._observers.length - 1; i >= 0; i--) this._observers[i](exit);
		this._observers = [];
	}
	getLoggers() {
		return this.getFiberRef(currentLoggers);
	}
	log(message, cause, overrideLogLevel) {
		let logLevel = isSome(overrideLogLevel) ? overrideLogLevel.value : this.getFiberRef(currentLogLevel), minimumLogLevel = this.getFiberRef(currentMinimumLogLevel);
		if (greaterThan(minimumLogLevel, logLevel)) return;
		let spans = this.getFiberRef(currentLogSpan), annotations = this.getFiberRef(currentLogAnnotations), loggers = this.getLoggers(), contextMap = this.getFiberRefs();
		if (size(loggers) > 0) {
			let clockService = get$4(this.getFiberRef(currentServices), clockTag), date = new Date(clockService.unsafeCurrentTimeMillis());
			withRedactableContext(contextMap, () => {
				for (let logger of loggers) logger.log({
					fiberId: this.id(),
					logLevel,
					message,
					cause,
					context: contextMap,
					spans,
					annotations,
					date
				});
			});
		}
	}
	evaluateMessageWhileSuspended(message) {
		switch (message._tag) {
			case OP_YIELD_NOW: return EvaluationSignalYieldNow;
			case OP_INTERRUPT_SIGNAL: return this.processNewInterruptSignal(message.cause), this._asyncInterruptor !== null && (this._asyncInterruptor(exitFailCause$1(message.cause)), this._asyncInterruptor = null), EvaluationSignalContinue;
			case OP_RESUME: return this._asyncInterruptor = null, this._asyncBlockingOn = null, this.evaluateEffect(message.effect), EvaluationSignalContinue;
			case OP_STATEFUL: return message.onFiber(this, this._exitValue === null ? suspended(this.currentRuntimeFlags, this._asyncBlockingOn) : done), EvaluationSignalContinue;
			default: return absurd(message);
		}
	}
	evaluateEffect(effect0) {
		this.currentSupervisor.onResume(this);
		try {
			let effect = interruptible$2(this.currentRuntimeFlags) && this.isInterrupted() ? exitFailCause$1(this.getInterruptedCause()) : effect0;
			for (; effect !== null;) {
				let eff = effect, exit = this.runLoop(eff);
				if (exit === YieldedOp) {
					let op = yieldedOpChannel.currentOp;
					yieldedOpChannel.currentOp = null, op._op === "Yield" ? cooperativeYielding(this.currentRuntimeFlags) ? (this.tell(yieldNow()), this.tell(resume(exitVoid$1)), effect = null) : effect = exitVoid$1 : op._op === "Async" && (effect = null);
				} else {
					this.currentRuntimeFlags = pipe(this.currentRuntimeFlags, enable$1(16));
					let interruption = this.interruptAllChildren();
					interruption === null ? (this._queue.length === 0 ? this.setExitValue(exit) : this.tell(resume(exit)), effect = null) : effect = flatMap$3(interruption, () => exit);
				}
			}
		} finally {
			this.currentSupervisor.onSuspend(this);
		}
	}
	start(effect) {
		if (this._running) this.tell(resume(effect));
		else {
			this._running = !0;
			let prev = globalThis[currentFiberURI];
			globalThis[currentFiberURI] = this;
			try {
				this.evaluateEffect(effect);
			} finally {
				this._running = !1, globalThis[currentFiberURI] = prev, this._queue.length > 0 && this.drainQueueLaterOnExecutor();
			}
		}
	}
	startFork(effect) {
		this.tell(resume(effect));
	}
	patchRuntimeFlags(oldRuntimeFlags, patch) {
		let newRuntimeFlags = patch$4(oldRuntimeFlags, patch);
		return globalThis[currentFiberURI] = this, this.currentRuntimeFlags = newRuntimeFlags, newRuntimeFlags;
	}
	initiateAsync(runtimeFlags, asyncRegister) {
		let alreadyCalled = !1, callback = (effect) => {
			alreadyCalled || (alreadyCalled = !0, this.tell(resume(effect)));
		};
		interruptible$2(runtimeFlags) && (this._asyncInterruptor = callback);
		try {
			asyncRegister(callback);
		} catch (e) {
			callback(failCause$1(die$1(e)));
		}
	}
	pushStack(cont) {
		this._stack.push(cont), cont._op === "OnStep" && this._steps.push({
			refs: this.getFiberRefs(),
			flags: this.currentRuntimeFlags
		});
	}
	popStack() {
		let item = this._stack.pop();
		if (item) return item._op === "OnStep" && this._steps.pop(), item;
	}
	getNextSuccessCont() {
		let frame = this.popStack();
		for (; frame;) {
			if (frame._op !== "OnFailure") return frame;
			frame = this.popStack();
		}
	}
	getNextFailCont() {
		let frame = this.popStack();
		for (; frame;) {
			if (frame._op !== "OnSuccess" && frame._op !== "While" && frame._op !== "Iterator") return frame;
			frame = this.popStack();
		}
	}
	Tag(op) {
		return sync(() => unsafeGet(this.currentContext, op));
	}
	Left(op) {
		return fail$1(op.left);
	}
	None(_) {
		return fail$1(new NoSuchElementException());
	}
	Right(op) {
		return exitSucceed$1(op.right);
	}
	Some(op) {
		return exitSucceed$1(op.value);
	}
	Micro(op) {
		return unsafeAsync((microResume) => {
			let resume = microResume, fiber = runFork(provideContext(op, this.currentContext));
			return fiber.addObserver((exit) => {
				if (exit._tag === "Success") return resume(exitSucceed$1(exit.value));
				switch (exit.cause._tag) {
					case "Interrupt": return resume(exitFailCause$1(interrupt(none$2)));
					case "Fail": return resume(fail$1(exit.cause.error));
					case "Die": return resume(die(exit.cause.defect));
				}
			}), unsafeAsync((abortResume) => {
				resume = (_) => {
					abortResume(void_$1);
				}, fiber.unsafeInterrupt();
			});
		});
	}
	[OP_SYNC](op) {
		let value = internalCall(() => op.effect_instruction_i0()), cont = this.getNextSuccessCont();
		return cont === void 0 ? (yieldedOpChannel.currentOp = exitSucceed$1(value), YieldedOp) : (cont._op in contOpSuccess || absurd(cont), contOpSuccess[cont._op](this, cont, value));
	}
	[OP_SUCCESS](op) {
		let oldCur = op, cont = this.getNextSuccessCont();
		return cont === void 0 ? (yieldedOpChannel.currentOp = oldCur, YieldedOp) : (cont._op in contOpSuccess || absurd(cont), contOpSuccess[cont._op](this, cont, oldCur.effect_instruction_i0));
	}
	[OP_FAILURE](op) {
		let cause = op.effect_instruction_i0, cont = this.getNextFailCont();
		if (cont !== void 0) switch (cont._op) {
			case OP_ON_FAILURE:
			case OP_ON_SUCCESS_AND_FAILURE: return interruptible$2(this.currentRuntimeFlags) && this.isInterrupted() ? exitFailCause$1(stripFailures(cause)) : internalCall(() => cont.effect_instruction_i1(cause));
			case "OnStep": return interruptible$2(this.currentRuntimeFlags) && this.isInterrupted() ? exitFailCause$1(stripFailures(cause)) : exitSucceed$1(exitFailCause$1(cause));
			case OP_REVERT_FLAGS: return this.patchRuntimeFlags(this.currentRuntimeFlags, cont.patch), interruptible$2(this.currentRuntimeFlags) && this.isInterrupted() ? exitFailCause$1(sequential$2(cause, this.getInterruptedCause())) : exitFailCause$1(cause);
			default: absurd(cont);
		}
		else return yieldedOpChannel.currentOp = exitFailCause$1(cause), YieldedOp;
	}
	[OP_WITH_RUNTIME](op) {
		return internalCall(() => op.effect_instruction_i0(this, running(this.currentRuntimeFlags)));
	}
	Blocked(op) {
		let refs = this.getFiberRefs(), flags = this.currentRuntimeFlags;
		if (this._steps.length > 0) {
			let frames = [], snap = this._steps[this._steps.length - 1], frame = this.popStack();
			for (; frame && frame._op !== "OnStep";) frames.push(frame), frame = this.popStack();
			this.setFiberRefs(snap.refs), this.currentRuntimeFlags = snap.flags;
			let patchRefs = diff$1(snap.refs, refs), patchFlags = diff$3(snap.flags, flags);
			return exitSucceed$1(blocked(op.effect_instruction_i0, withFiberRuntime((newFiber) => {
				for (; frames.length > 0;) newFiber.pushStack(frames.pop());
				return newFiber.setFiberRefs(patch$1(newFiber.id(), newFiber.getFiberRefs())(patchRefs)), newFiber.currentRuntimeFlags = patch$4(patchFlags)(newFiber.currentRuntimeFlags), op.effect_instruction_i1;
			})));
		}
		return uninterruptibleMask$1((restore) => flatMap$3(forkDaemon(runRequestBlock(op.effect_instruction_i0)), () => restore(op.effect_instruction_i1)));
	}
	RunBlocked(op) {
		return runBlockedRequests(op.effect_instruction_i0);
	}
	[OP_UPDATE_RUNTIME_FLAGS](op) {
		let updateFlags = op.effect_instruction_i0, oldRuntimeFlags = this.currentRuntimeFlags, newRuntimeFlags = patch$4(oldRuntimeFlags, updateFlags);
		if (interruptible$2(newRuntimeFlags) && this.isInterrupted()) return exitFailCause$1(this.getInterruptedCause());
		if (this.patchRuntimeFlags(this.currentRuntimeFlags, updateFlags), op.effect_instruction_i1) {
			let revertFlags = diff$3(newRuntimeFlags, oldRuntimeFlags);
			return this.pushStack(new RevertFlags(revertFlags, op)), internalCall(() => op.effect_instruction_i1(oldRuntimeFlags));
		}
		return exitVoid$1;
	}
	[OP_ON_SUCCESS](op) {
		return this.pushStack(op), op.effect_instruction_i0;
	}
	OnStep(op) {
		return this.pushStack(op), op.effect_instruction_i0;
	}
	[OP_ON_FAILURE](op) {
		return this.pushStack(op), op.effect_instruction_i0;
	}
	[OP_ON_SUCCESS_AND_FAILURE](op) {
		return this.pushStack(op), op.effect_instruction_i0;
	}
	[OP_ASYNC](op) {
		return this._asyncBlockingOn = op.effect_instruction_i1, this.initiateAsync(this.currentRuntimeFlags, op.effect_instruction_i0), yieldedOpChannel.currentOp = op, YieldedOp;
	}
	[OP_YIELD](op) {
		return this._isYielding = !1, yieldedOpChannel.currentOp = op, YieldedOp;
	}
	[OP_WHILE](op) {
		let check = op.effect_instruction_i0, body = op.effect_instruction_i1;
		return check() ? (this.pushStack(op), body()) : exitVoid$1;
	}
	[OP_ITERATOR](op) {
		return contOpSuccess[OP_ITERATOR](this, op, void 0);
	}
	[OP_COMMIT](op) {
		return internalCall(() => op.commit());
	}
	runLoop(effect0) {
		let cur = effect0;
		for (this.currentOpCount = 0;;) {
			if (this.currentRuntimeFlags & 2 && this.currentSupervisor.onEffect(this, cur), this._queue.length > 0 && (cur = this.drainQueueWhileRunning(this.currentRuntimeFlags, cur)), !this._isYielding) {
				this.currentOpCount += 1;
				let shouldYield = this.currentScheduler.shouldYield(this);
				if (shouldYield !== !1) {
					this._isYielding = !0, this.currentOpCount = 0;
					let oldCur = cur;
					cur = flatMap$3(yieldNow$2({ priority: shouldYield }), () => oldCur);
				}
			}
			try {
				if (cur = this.currentTracer.context(() => {
					if (_version !== cur[EffectTypeId]._V) {
						let level = this.getFiberRef(currentVersionMismatchErrorLogLevel);
						if (level._tag === "Some") {
							let effectVersion = cur[EffectTypeId]._V;
							this.log(`Executing an Effect versioned ${effectVersion} with a Runtime of version ${getCurrentVersion()}, you may want to dedupe the effect dependencies, you can use the language service plugin to detect this at compile time: https://github.com/Effect-TS/language-service`, empty$14, level);
						}
					}
					return this[cur._op](cur);
				}, this), cur === YieldedOp) {
					let op = yieldedOpChannel.currentOp;
					return op._op === "Yield" || op._op === "Async" ? YieldedOp : (yieldedOpChannel.currentOp = null, op._op === "Success" || op._op === "Failure" ? op : exitFailCause$1(die$1(op)));
				}
			} catch (e) {
				cur = cur !== YieldedOp && !hasProperty(cur, "_op") || !(cur._op in this) ? dieMessage(`Not a valid effect: ${toStringUnknown(cur)}`) : isInterruptedException(e) ? exitFailCause$1(sequential$2(die$1(e), interrupt(none$2))) : die(e);
			}
		}
	}
	run = () => {
		this.drainQueueOnCurrentThread();
	};
};
const currentMinimumLogLevel = globalValue("effect/FiberRef/currentMinimumLogLevel", () => fiberRefUnsafeMake(fromLiteral("Info"))), loggerWithConsoleLog = (self) => makeLogger((opts) => {
	let services = getOrDefault(opts.context, currentServices);
	get$4(services, consoleTag).unsafe.log(self.log(opts));
}), defaultLogger = globalValue(Symbol.for("effect/Logger/defaultLogger"), () => loggerWithConsoleLog(stringLogger)), tracerLogger = globalValue(Symbol.for("effect/Logger/tracerLogger"), () => makeLogger(({ annotations, cause, context, fiberId, logLevel, message }) => {
	let span = filterDisablePropagation(getOption(getOrDefault$1(context, currentContext), spanTag));
	if (span._tag === "None" || span.value._tag === "ExternalSpan") return;
	let clockService = unsafeGet(getOrDefault$1(context, currentServices), clockTag), attributes = {};
	for (let [key, value] of annotations) attributes[key] = value;
	attributes["effect.fiberId"] = threadName(fiberId), attributes["effect.logLevel"] = logLevel.label, cause !== null && cause._tag !== "Empty" && (attributes["effect.cause"] = pretty(cause, { renderErrorCause: !0 })), span.value.event(toStringUnknown(Array.isArray(message) && message.length === 1 ? message[0] : message), clockService.unsafeCurrentTimeNanos(), attributes);
})), currentLoggers = globalValue(Symbol.for("effect/FiberRef/currentLoggers"), () => fiberRefUnsafeMakeHashSet(make$20(defaultLogger, tracerLogger))), forEach$1 = dual((args) => isIterable(args[0]), (self, f, options) => withFiberRuntime((r) => {
	let isRequestBatchingEnabled = options?.batching === !0 || options?.batching === "inherit" && r.getFiberRef(currentRequestBatching);
	return options?.discard ? match(options.concurrency, () => finalizersMaskInternal(sequential, options?.concurrentFinalizers)((restore) => isRequestBatchingEnabled ? forEachConcurrentDiscard(self, (a, i) => restore(f(a, i)), !0, !1, 1) : forEachSequentialDiscard(self, (a, i) => restore(f(a, i)))), () => finalizersMaskInternal(parallel, options?.concurrentFinalizers)((restore) => forEachConcurrentDiscard(self, (a, i) => restore(f(a, i)), isRequestBatchingEnabled, !1)), (n) => finalizersMaskInternal(parallelN(n), options?.concurrentFinalizers)((restore) => forEachConcurrentDiscard(self, (a, i) => restore(f(a, i)), isRequestBatchingEnabled, !1, n))) : match(options?.concurrency, () => finalizersMaskInternal(sequential, options?.concurrentFinalizers)((restore) => isRequestBatchingEnabled ? forEachParN(self, 1, (a, i) => restore(f(a, i)), !0) : forEachSequential(self, (a, i) => restore(f(a, i)))), () => finalizersMaskInternal(parallel, options?.concurrentFinalizers)((restore) => forEachParUnbounded(self, (a, i) => restore(f(a, i)), isRequestBatchingEnabled)), (n) => finalizersMaskInternal(parallelN(n), options?.concurrentFinalizers)((restore) => forEachParN(self, n, (a, i) => restore(f(a, i)), isRequestBatchingEnabled)));
})), forEachParUnbounded = (self, f, batching) => suspend$1(() => {
	let as = fromIterable$6(self), array = Array(as.length);
	return zipRight(forEachConcurrentDiscard(as, (a, i) => flatMap$3(f(a, i), (b) => sync(() => array[i] = b)), batching, !1), succeed$3(array));
}), forEachConcurrentDiscard = (self, f, batching, processAll, n) => uninterruptibleMask$1((restore) => transplant((graft) => withFiberRuntime((parent) => {
	let todos = Array.from(self).reverse(), target = todos.length;
	if (target === 0) return void_$1;
	let counter = 0, interrupted = !1, fibersCount = n ? Math.min(todos.length, n) : todos.length, fibers = new Set(), results = [], interruptAll = () => fibers.forEach((fiber) => {
		fiber.currentScheduler.scheduleTask(() => {
			fiber.unsafeInterruptAsFork(parent.id());
		}, 0, fiber);
	}), startOrder = [], joinOrder = [], residual = [], collectExits = () => {
		let exits = results.filter(({ exit }) => exit._tag === "Failure").sort((a, b) => a.index < b.index ? -1 : a.index === b.index ? 0 : 1).map(({ exit }) => exit);
		return exits.length === 0 && exits.push(exitVoid$1), exits;
	}, runFiber = (eff, interruptImmediately = !1) => {
		let runnable = uninterruptible(graft(eff)), fiber = unsafeForkUnstarted(runnable, parent, parent.currentRuntimeFlags, globalScope);
		return parent.currentScheduler.scheduleTask(() => {
			interruptImmediately && fiber.unsafeInterruptAsFork(parent.id()), fiber.resume(runnable);
		}, 0, fiber), fiber;
	}, onInterruptSignal = () => {
		processAll || (target -= todos.length, todos = []), interrupted = !0, interruptAll();
	}, stepOrExit = batching ? step : exit, processingFiber = runFiber(async_((resume) => {
		let pushResult = (res, index) => {
			res._op === "Blocked" ? residual.push(res) : (results.push({
				index,
				exit: res
			}), res._op === "Failure" && !interrupted && onInterruptSignal());
		}, next = () => {
			if (todos.length > 0) {
				let a = todos.pop(), index = counter++, returnNextElement = () => {
					let a = todos.pop();
					return index = counter++, flatMap$3(yieldNow$2(), () => flatMap$3(stepOrExit(restore(f(a, index))), onRes));
				}, onRes = (res) => todos.length > 0 && (pushResult(res, index), todos.length > 0) ? returnNextElement() : succeed$3(res), todo = flatMap$3(stepOrExit(restore(f(a, index))), onRes), fiber = runFiber(todo);
				startOrder.push(fiber), fibers.add(fiber), interrupted && fiber.currentScheduler.scheduleTask(() => {
					fiber.unsafeInterruptAsFork(parent.id());
				}, 0, fiber), fiber.addObserver((wrapped) => {
					let exit;
					if (exit = wrapped._op === "Failure" ? wrapped : wrapped.effect_instruction_i0, joinOrder.push(fiber), fibers.delete(fiber), pushResult(exit, index), results.length === target) resume(succeed$3(getOrElse(exitCollectAll(collectExits(), { parallel: !0 }), () => exitVoid$1)));
					else if (residual.length + results.length === target) {
						let exits = collectExits(), requests = residual.map((blocked) => blocked.effect_instruction_i0).reduce(par);
						resume(succeed$3(blocked(requests, forEachConcurrentDiscard([getOrElse(exitCollectAll(exits, { parallel: !0 }), () => exitVoid$1), ...residual.map((blocked) => blocked.effect_instruction_i1)], (i) => i, batching, !0, n))));
					} else next();
				});
			}
		};
		for (let i = 0; i < fibersCount; i++) next();
	}));
	return asVoid(onExit$1(flatten(restore(join(processingFiber))), exitMatch({
		onFailure: (cause) => {
			onInterruptSignal();
			let target = residual.length + 1, concurrency = Math.min(typeof n == "number" ? n : residual.length, residual.length), toPop = Array.from(residual);
			return async_((cb) => {
				let exits = [], count = 0, index = 0, check = (index, hitNext) => (exit) => {
					exits[index] = exit, count++, count === target && cb(exitSucceed$1(exitFailCause$1(cause))), toPop.length > 0 && hitNext && next();
				}, next = () => {
					runFiber(toPop.pop(), !0).addObserver(check(index, !0)), index++;
				};
				processingFiber.addObserver(check(index, !1)), index++;
				for (let i = 0; i < concurrency; i++) next();
			});
		},
		onSuccess: () => forEachSequential(joinOrder, (f) => f.inheritAll)
	})));
}))), forEachParN = (self, n, f, batching) => suspend$1(() => {
	let as = fromIterable$6(self), array = Array(as.length);
	return zipRight(forEachConcurrentDiscard(as, (a, i) => map$2(f(a, i), (b) => array[i] = b), batching, !1, n), succeed$3(array));
}), forkDaemon = (self) => forkWithScopeOverride(self, globalScope), unsafeFork$1 = (effect, parentFiber, parentRuntimeFlags, overrideScope = null) => {
	let childFiber = unsafeMakeChildFiber(effect, parentFiber, parentRuntimeFlags, overrideScope);
	return childFiber.resume(effect), childFiber;
}, unsafeForkUnstarted = (effect, parentFiber, parentRuntimeFlags, overrideScope = null) => unsafeMakeChildFiber(effect, parentFiber, parentRuntimeFlags, overrideScope), unsafeMakeChildFiber = (effect, parentFiber, parentRuntimeFlags, overrideScope = null) => {
	let childId = unsafeMake$3(), parentFiberRefs = parentFiber.getFiberRefs(), childFiberRefs = forkAs(parentFiberRefs, childId), childFiber = new FiberRuntime(childId, childFiberRefs, parentRuntimeFlags), childContext = getOrDefault$1(childFiberRefs, currentContext), supervisor = childFiber.currentSupervisor;
	return supervisor.onStart(childContext, effect, some(parentFiber), childFiber), childFiber.addObserver((exit) => supervisor.onEnd(exit, childFiber)), (overrideScope === null ? pipe(parentFiber.getFiberRef(currentForkScopeOverride), getOrElse(() => parentFiber.scope())) : overrideScope).add(parentRuntimeFlags, childFiber), childFiber;
}, forkWithScopeOverride = (self, scopeOverride) => withFiberRuntime((parentFiber, parentStatus) => succeed$3(unsafeFork$1(self, parentFiber, parentStatus.runtimeFlags, scopeOverride))), parallelFinalizers = (self) => contextWithEffect((context) => match$3(getOption(context, scopeTag), {
	onNone: () => self,
	onSome: (scope) => {
		switch (scope.strategy._tag) {
			case "Parallel": return self;
			case "Sequential":
			case "ParallelN": return flatMap$3(scopeFork(scope, parallel), (inner) => scopeExtend(self, inner));
		}
	}
})), parallelNFinalizers = (parallelism) => (self) => contextWithEffect((context) => match$3(getOption(context, scopeTag), {
	onNone: () => self,
	onSome: (scope) => scope.strategy._tag === "ParallelN" && scope.strategy.parallelism === parallelism ? self : flatMap$3(scopeFork(scope, parallelN(parallelism)), (inner) => scopeExtend(self, inner))
})), finalizersMaskInternal = (strategy, concurrentFinalizers) => (self) => contextWithEffect((context) => match$3(getOption(context, scopeTag), {
	onNone: () => self(identity),
	onSome: (scope) => {
		if (concurrentFinalizers === !0) {
			let patch = strategy._tag === "Parallel" ? parallelFinalizers : strategy._tag === "Sequential" ? sequentialFinalizers : parallelNFinalizers(strategy.parallelism);
			switch (scope.strategy._tag) {
				case "Parallel": return patch(self(parallelFinalizers));
				case "Sequential": return patch(self(sequentialFinalizers));
				case "ParallelN": return patch(self(parallelNFinalizers(scope.strategy.parallelism)));
			}
		} else return self(identity);
	}
})), sequentialFinalizers = (self) => contextWithEffect((context) => match$3(getOption(context, scopeTag), {
	onNone: () => self,
	onSome: (scope) => {
		switch (scope.strategy._tag) {
			case "Sequential": return self;
			case "Parallel":
			case "ParallelN": return flatMap$3(scopeFork(scope, sequential), (inner) => scopeExtend(self, inner));
		}
	}
})), scopeTag = GenericTag("effect/Scope"), scopeUnsafeAddFinalizer = (scope, fin) => {
	scope.state._tag === "Open" && scope.state.finalizers.set({}, fin);
}, ScopeImplProto = {
	[ScopeTypeId]: ScopeTypeId,
	[CloseableScopeTypeId]: CloseableScopeTypeId,
	pipe() {
		return pipeArguments(this, arguments);
	},
	fork(strategy) {
		return sync(() => {
			let newScope = scopeUnsafeMake(strategy);
			if (this.state._tag === "Closed") return newScope.state = this.state, newScope;
			let key = {};
			return this.state.finalizers.set(key, (exit) => newScope.close(exit)), scopeUnsafeAddFinalizer(newScope, (_) => sync(() => {
				this.state._tag === "Open" && this.state.finalizers.delete(key);
			})), newScope;
		});
	},
	close(exit$1) {
		return suspend$1(() => {
			if (this.state._tag === "Closed") return void_$1;
			let finalizers = Array.from(this.state.finalizers.values()).reverse();
			return this.state = {
				_tag: "Closed",
				exit: exit$1
			}, finalizers.length === 0 ? void_$1 : isSequential(this.strategy) ? pipe(forEachSequential(finalizers, (fin) => exit(fin(exit$1))), flatMap$3((results) => pipe(exitCollectAll(results), map$6(exitAsVoid), getOrElse(() => exitVoid$1)))) : isParallel(this.strategy) ? pipe(forEachParUnbounded(finalizers, (fin) => exit(fin(exit$1)), !1), flatMap$3((results) => pipe(exitCollectAll(results, { parallel: !0 }), map$6(exitAsVoid), getOrElse(() => exitVoid$1)))) : pipe(forEachParN(finalizers, this.strategy.parallelism, (fin) => exit(fin(exit$1)), !1), flatMap$3((results) => pipe(exitCollectAll(results, { parallel: !0 }), map$6(exitAsVoid), getOrElse(() => exitVoid$1))));
		});
	},
	addFinalizer(fin) {
		return suspend$1(() => this.state._tag === "Closed" ? fin(this.state.exit) : (this.state.finalizers.set({}, fin), void_$1));
	}
}, scopeUnsafeMake = (strategy = sequential$1) => {
	let scope = Object.create(ScopeImplProto);
	return scope.strategy = strategy, scope.state = {
		_tag: "Open",
		finalizers: new Map()
	}, scope;
}, scopeExtend = dual(2, (effect, scope) => mapInputContext(effect, merge$1(make$18(scopeTag, scope)))), fiberRefUnsafeMakeSupervisor = (initial) => fiberRefUnsafeMakePatch(initial, {
	differ,
	fork: empty
}), currentRuntimeFlags = fiberRefUnsafeMakeRuntimeFlags(none$1), currentSupervisor = fiberRefUnsafeMakeSupervisor(none), ensuring = dual(2, (self, finalizer) => uninterruptibleMask$1((restore) => matchCauseEffect$1(restore(self), {
	onFailure: (cause1) => matchCauseEffect$1(finalizer, {
		onFailure: (cause2) => failCause$1(sequential$2(cause1, cause2)),
		onSuccess: () => failCause$1(cause1)
	}),
	onSuccess: (a) => as(finalizer, a)
}))), invokeWithInterrupt = (self, entries, onInterrupt) => fiberIdWith((id) => ensuring(flatMap$3(forkDaemon(interruptible$1(self)), (processing) => async_((cb) => {
	let counts = entries.map((_) => _.listeners.count), checkDone = () => {
		counts.every((count) => count === 0) && entries.every((_) => !!(_.result.state.current._tag === "Pending" || _.result.state.current._tag === "Done" && exitIsExit(_.result.state.current.effect) && _.result.state.current.effect._tag === "Failure" && isInterrupted(_.result.state.current.effect.cause))) && (cleanup.forEach((f) => f()), onInterrupt?.(), cb(interruptFiber(processing)));
	};
	processing.addObserver((exit) => {
		cleanup.forEach((f) => f()), cb(exit);
	});
	let cleanup = entries.map((r, i) => {
		let observer = (count) => {
			counts[i] = count, checkDone();
		};
		return r.listeners.addObserver(observer), () => r.listeners.removeObserver(observer);
	});
	return checkDone(), sync(() => {
		cleanup.forEach((f) => f());
	});
})), suspend$1(() => {
	let residual = entries.flatMap((entry) => entry.state.completed ? [] : [entry]);
	return forEachSequentialDiscard(residual, (entry) => complete(entry.request, exitInterrupt$1(id)));
}))), close = scopeClose, fork = scopeFork, makeDual = (f) => function() {
	if (arguments.length === 1) {
		let runtime = arguments[0];
		return (effect, ...args) => f(runtime, effect, ...args);
	}
	return f.apply(this, arguments);
}, unsafeFork = makeDual((runtime, self, options) => {
	let fiberId = unsafeMake$3(), fiberRefUpdates = [[currentContext, [[fiberId, runtime.context]]]];
	options?.scheduler && fiberRefUpdates.push([currentScheduler, [[fiberId, options.scheduler]]]);
	let fiberRefs = updateManyAs(runtime.fiberRefs, {
		entries: fiberRefUpdates,
		forkAs: fiberId
	});
	options?.updateRefs && (fiberRefs = options.updateRefs(fiberRefs, fiberId));
	let fiberRuntime = new FiberRuntime(fiberId, fiberRefs, runtime.runtimeFlags), effect = self;
	options?.scope && (effect = flatMap$3(fork(options.scope, sequential$1), (closeableScope) => zipRight(scopeAddFinalizer(closeableScope, fiberIdWith((id) => equals$2(id, fiberRuntime.id()) ? void_$1 : interruptAsFiber(fiberRuntime, id))), onExit$1(self, (exit) => close(closeableScope, exit)))));
	let supervisor = fiberRuntime.currentSupervisor;
	return supervisor !== none && (supervisor.onStart(runtime.context, effect, none$4(), fiberRuntime), fiberRuntime.addObserver((exit) => supervisor.onEnd(exit, fiberRuntime))), globalScope.add(runtime.runtimeFlags, fiberRuntime), options?.immediate === !1 ? fiberRuntime.resume(effect) : fiberRuntime.start(effect), fiberRuntime;
}), unsafeRunSync = makeDual((runtime, effect) => {
	let result = unsafeRunSyncExit(runtime)(effect);
	if (result._tag === "Failure") throw fiberFailure(result.effect_instruction_i0);
	return result.effect_instruction_i0;
});
var AsyncFiberExceptionImpl = class extends Error {
	fiber;
	_tag = "AsyncFiberException";
	constructor(fiber) {
		super(`Fiber #${fiber.id().id} cannot be resolved synchronously. This is caused by using runSync on an effect that performs async work`), this.fiber = fiber, this.name = this._tag, this.stack = this.message;
	}
};
const asyncFiberException = (fiber) => {
	let limit = getStackTraceLimit();
	setStackTraceLimit(0);
	let error = new AsyncFiberExceptionImpl(fiber);
	return setStackTraceLimit(limit), error;
}, FiberFailureId = Symbol.for("effect/Runtime/FiberFailure"), FiberFailureCauseId = Symbol.for("effect/Runtime/FiberFailure/Cause");
var FiberFailureImpl = class extends Error {
	[FiberFailureId];
	[FiberFailureCauseId];
	constructor(cause) {
		let head = prettyErrors(cause)[0];
		super(head?.message || "An error has occurred"), this[FiberFailureId] = FiberFailureId, this[FiberFailureCauseId] = cause, this.name = head ? `(FiberFailure) ${head.name}` : "FiberFailure", head?.stack && (this.stack = head.stack);
	}
	toJSON() {
		return {
			_id: "FiberFailure",
			cause: this[FiberFailureCauseId].toJSON()
		};
	}
	toString() {
		return "(FiberFailure) " + pretty(this[FiberFailureCauseId], { renderErrorCause: !0 });
	}
	[NodeInspectSymbol]() {
		return this.toString();
	}
};
const fiberFailure = (cause) => {
	let limit = getStackTraceLimit();
	setStackTraceLimit(0);
	let error = new FiberFailureImpl(cause);
	return setStackTraceLimit(limit), error;
}, fastPath = (effect) => {
	let op = effect;
	switch (op._op) {
		case "Failure":
		case "Success": return op;
		case "Left": return exitFail(op.left);
		case "Right": return exitSucceed$1(op.right);
		case "Some": return exitSucceed$1(op.value);
		case "None": return exitFail(new NoSuchElementException());
	}
}, unsafeRunSyncExit = makeDual((runtime, effect) => {
	let op = fastPath(effect);
	if (op) return op;
	let scheduler = new SyncScheduler(), fiberRuntime = unsafeFork(runtime)(effect, { scheduler });
	return scheduler.flush(), fiberRuntime.unsafePoll() || exitDie$1(capture(asyncFiberException(fiberRuntime), currentSpanFromFiber(fiberRuntime)));
});
var RuntimeImpl = class {
	context;
	runtimeFlags;
	fiberRefs;
	constructor(context, runtimeFlags, fiberRefs) {
		this.context = context, this.runtimeFlags = runtimeFlags, this.fiberRefs = fiberRefs;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
};
const unsafeRunSyncEffect = unsafeRunSync(((options) => new RuntimeImpl(options.context, options.runtimeFlags, options.fiberRefs))({
	context: empty$12(),
	runtimeFlags: make$13(1, 32, 4),
	fiberRefs: empty$3()
})), Error$1 = function() {
	let plainArgsSymbol = Symbol.for("effect/Data/Error/plainArgs");
	return { BaseEffectError: class extends YieldableError {
		constructor(args) {
			super(args?.message, args?.cause ? { cause: args.cause } : void 0), args && (Object.assign(this, args), Object.defineProperty(this, plainArgsSymbol, {
				value: args,
				enumerable: !1
			}));
		}
		toJSON() {
			return {
				...this[plainArgsSymbol],
				...this
			};
		}
	} }.BaseEffectError;
}(), TaggedError = (tag) => {
	let O = { BaseEffectError: class extends Error$1 {
		_tag = tag;
	} };
	return O.BaseEffectError.prototype.name = tag, O.BaseEffectError;
}, TypeId$2 = Symbol.for("effect/DateTime"), TimeZoneTypeId = Symbol.for("effect/DateTime/TimeZone"), Proto = {
	[TypeId$2]: TypeId$2,
	pipe() {
		return pipeArguments(this, arguments);
	},
	[NodeInspectSymbol]() {
		return this.toString();
	},
	toJSON() {
		return toDateUtc(this).toJSON();
	}
};
({ ...Proto }), { ...Proto };
const ProtoTimeZone = {
	[TimeZoneTypeId]: TimeZoneTypeId,
	[NodeInspectSymbol]() {
		return this.toString();
	}
};
({ ...ProtoTimeZone }), { ...ProtoTimeZone };
const toDateUtc = (self) => new Date(self.epochMillis), isEffect = isEffect$1, forEach = forEach$1, succeed$1 = succeed$3, suspend = suspend$1, _void = void_$1, catchAll = catchAll$1, map$1 = map$2, mapBoth$1 = mapBoth$2, mapError$1 = mapError$2, either = either$1, flatMap$1 = flatMap$3, matchEffect = matchEffect$1, orElse$1 = orElse$2, runSync = unsafeRunSyncEffect, make$2 = (value, forest = []) => ({
	value,
	forest
}), formatIssue = (issue) => map$1(go$1(issue), (tree) => drawTree(tree)), formatIssueSync = (issue) => runSync(formatIssue(issue)), drawTree = (tree) => tree.value + draw("\n", tree.forest), draw = (indentation, forest) => {
	let r = "", len = forest.length, tree;
	for (let i = 0; i < len; i++) {
		tree = forest[i];
		let isLast = i === len - 1;
		r += indentation + (isLast ? "└" : "├") + "─ " + tree.value, r += draw(indentation + (len > 1 && !isLast ? "│  " : "   "), tree.forest);
	}
	return r;
}, formatTransformationKind = (kind) => {
	switch (kind) {
		case "Encoded": return "Encoded side transformation failure";
		case "Transformation": return "Transformation process failure";
		case "Type": return "Type side transformation failure";
	}
}, formatRefinementKind = (kind) => {
	switch (kind) {
		case "From": return "From side refinement failure";
		case "Predicate": return "Predicate refinement failure";
	}
}, getAnnotated = (issue) => "ast" in issue ? some(issue.ast) : none$4(), getCurrentMessage = (issue) => getAnnotated(issue).pipe(flatMap$5(getMessageAnnotation), flatMap$1((annotation) => {
	let out = annotation(issue);
	return isString(out) ? succeed$1({
		message: out,
		override: !1
	}) : isEffect(out) ? map$1(out, (message) => ({
		message,
		override: !1
	})) : isString(out.message) ? succeed$1({
		message: out.message,
		override: out.override
	}) : map$1(out.message, (message) => ({
		message,
		override: out.override
	}));
})), createParseIssueGuard = (tag) => (issue) => issue._tag === tag, isComposite = createParseIssueGuard("Composite"), isRefinement = createParseIssueGuard("Refinement"), isTransformation = createParseIssueGuard("Transformation"), getMessage = (issue) => getCurrentMessage(issue).pipe(flatMap$1((currentMessage) => !currentMessage.override && (isComposite(issue) || isRefinement(issue) && issue.kind === "From" || isTransformation(issue) && issue.kind !== "Transformation") ? isTransformation(issue) || isRefinement(issue) ? getMessage(issue.issue) : none$4() : succeed$1(currentMessage.message))), getParseIssueTitleAnnotation = (issue) => getAnnotated(issue).pipe(flatMap$5(getParseIssueTitleAnnotation$1), filterMap$1((annotation) => fromNullable(annotation(issue)))), formatTypeMessage = (e) => getMessage(e).pipe(orElse$1(() => getParseIssueTitleAnnotation(e)), catchAll(() => succeed$1(e.message ?? `Expected ${String(e.ast)}, actual ${formatUnknown(e.actual)}`))), getParseIssueTitle = (issue) => getOrElse(getParseIssueTitleAnnotation(issue), () => String(issue.ast)), formatForbiddenMessage = (e) => e.message ?? "is forbidden", formatUnexpectedMessage = (e) => e.message ?? "is unexpected", formatMissingMessage = (e) => getMissingMessageAnnotation(e.ast).pipe(flatMap$1((annotation) => {
	let out = annotation();
	return isString(out) ? succeed$1(out) : out;
}), catchAll(() => succeed$1(e.message ?? "is missing"))), getTree = (issue, onFailure) => matchEffect(getMessage(issue), {
	onFailure,
	onSuccess: (message) => succeed$1(make$2(message))
}), go$1 = (e) => {
	switch (e._tag) {
		case "Type": return map$1(formatTypeMessage(e), make$2);
		case "Forbidden": return succeed$1(make$2(getParseIssueTitle(e), [make$2(formatForbiddenMessage(e))]));
		case "Unexpected": return succeed$1(make$2(formatUnexpectedMessage(e)));
		case "Missing": return map$1(formatMissingMessage(e), make$2);
		case "Transformation": return getTree(e, () => map$1(go$1(e.issue), (tree) => make$2(getParseIssueTitle(e), [make$2(formatTransformationKind(e.kind), [tree])])));
		case "Refinement": return getTree(e, () => map$1(go$1(e.issue), (tree) => make$2(getParseIssueTitle(e), [make$2(formatRefinementKind(e.kind), [tree])])));
		case "Pointer": return map$1(go$1(e.issue), (tree) => make$2(formatPath(e.path), [tree]));
		case "Composite": {
			let parseIssueTitle = getParseIssueTitle(e);
			return getTree(e, () => isNonEmpty$1(e.issues) ? map$1(forEach(e.issues, go$1), (forest) => make$2(parseIssueTitle, forest)) : map$1(go$1(e.issues), (tree) => make$2(parseIssueTitle, [tree])));
		}
	}
};
// node_modules/@effect/schema/dist/esm/ParseResult.js
var Pointer = class {
	path;
	actual;
	issue;
	_tag = "Pointer";
	constructor(path, actual, issue) {
		this.path = path, this.actual = actual, this.issue = issue;
	}
}, Unexpected = class {
	actual;
	message;
	_tag = "Unexpected";
	constructor(actual, message) {
		this.actual = actual, this.message = message;
	}
}, Missing = class {
	ast;
	message;
	_tag = "Missing";
	actual = void 0;
	constructor(ast, message) {
		this.ast = ast, this.message = message;
	}
}, Composite = class {
	ast;
	actual;
	issues;
	output;
	_tag = "Composite";
	constructor(ast, actual, issues, output) {
		this.ast = ast, this.actual = actual, this.issues = issues, this.output = output;
	}
}, Refinement = class {
	ast;
	actual;
	kind;
	issue;
	_tag = "Refinement";
	constructor(ast, actual, kind, issue) {
		this.ast = ast, this.actual = actual, this.kind = kind, this.issue = issue;
	}
}, Transformation = class {
	ast;
	actual;
	kind;
	issue;
	_tag = "Transformation";
	constructor(ast, actual, kind, issue) {
		this.ast = ast, this.actual = actual, this.kind = kind, this.issue = issue;
	}
}, Type = class {
	ast;
	actual;
	message;
	_tag = "Type";
	constructor(ast, actual, message) {
		this.ast = ast, this.actual = actual, this.message = message;
	}
}, Forbidden = class {
	ast;
	actual;
	message;
	_tag = "Forbidden";
	constructor(ast, actual, message) {
		this.ast = ast, this.actual = actual, this.message = message;
	}
};
const ParseErrorTypeId = Symbol.for("@effect/schema/ParseErrorTypeId");
var ParseError = class extends TaggedError("ParseError") {
	[ParseErrorTypeId] = ParseErrorTypeId;
	get message() {
		return this.toString();
	}
	toString() {
		return formatIssueSync(this.issue);
	}
	toJSON() {
		return {
			_id: "ParseError",
			message: this.toString()
		};
	}
	[NodeInspectSymbol]() {
		return this.toJSON();
	}
};
const parseError = (issue) => new ParseError({ issue }), succeed = right, fail = left, flatMap = dual(2, (self, f) => {
	let s = self;
	return s._tag === "Left" ? s : s._tag === "Right" ? f(s.right) : flatMap$1(self, f);
}), map = dual(2, (self, f) => {
	let s = self;
	return s._tag === "Left" ? s : s._tag === "Right" ? right(f(s.right)) : map$1(self, f);
}), mapError = dual(2, (self, f) => {
	let s = self;
	return s._tag === "Left" ? left(f(s.left)) : s._tag === "Right" ? s : mapError$1(self, f);
}), eitherOrUndefined = (self) => {
	let s = self;
	if (s._tag === "Left" || s._tag === "Right") return s;
}, mapBoth = dual(2, (self, options) => {
	let s = self;
	return s._tag === "Left" ? left(options.onFailure(s.left)) : s._tag === "Right" ? right(options.onSuccess(s.right)) : mapBoth$1(self, options);
}), orElse = dual(2, (self, f) => {
	let s = self;
	return s._tag === "Left" ? f(s.left) : s._tag === "Right" ? s : catchAll(self, f);
}), mergeInternalOptions = (options, overrideOptions) => overrideOptions === void 0 || isNumber(overrideOptions) ? options : options === void 0 ? overrideOptions : {
	...options,
	...overrideOptions
}, getEither = (ast, isDecoding, options) => {
	let parser = goMemo(ast, isDecoding);
	return (u, overrideOptions) => parser(u, mergeInternalOptions(options, overrideOptions));
}, getSync = (ast, isDecoding, options) => {
	let parser = getEither(ast, isDecoding, options);
	return (input, overrideOptions) => getOrThrowWith$1(parser(input, overrideOptions), parseError);
}, getEffect = (ast, isDecoding, options) => {
	let parser = goMemo(ast, isDecoding);
	return (input, overrideOptions) => parser(input, {
		...mergeInternalOptions(options, overrideOptions),
		isEffectAllowed: !0
	});
}, decodeUnknownEither$1 = (schema, options) => getEither(schema.ast, !0, options), decodeUnknown = (schema, options) => getEffect(schema.ast, !0, options), encodeUnknown = (schema, options) => getEffect(schema.ast, !1, options), validateSync = (schema, options) => getSync(typeAST(schema.ast), !0, options), decodeMemoMap = globalValue(Symbol.for("@effect/schema/Parser/decodeMemoMap"), () => new WeakMap()), encodeMemoMap = globalValue(Symbol.for("@effect/schema/Parser/encodeMemoMap"), () => new WeakMap()), goMemo = (ast, isDecoding) => {
	let memoMap = isDecoding ? decodeMemoMap : encodeMemoMap, memo = memoMap.get(ast);
	if (memo) return memo;
	let raw = go(ast, isDecoding), parseOptionsAnnotation = getParseOptionsAnnotation(ast), parserWithOptions = isSome(parseOptionsAnnotation) ? (i, options) => raw(i, mergeInternalOptions(options, parseOptionsAnnotation.value)) : raw, decodingFallbackAnnotation = getDecodingFallbackAnnotation(ast), parser = isDecoding && isSome(decodingFallbackAnnotation) ? (i, options) => handleForbidden(orElse(parserWithOptions(i, options), decodingFallbackAnnotation.value), ast, i, options) : parserWithOptions;
	return memoMap.set(ast, parser), parser;
}, getConcurrency = (ast) => getOrUndefined(getConcurrencyAnnotation(ast)), getBatching = (ast) => getOrUndefined(getBatchingAnnotation(ast)), go = (ast, isDecoding) => {
	switch (ast._tag) {
		case "Refinement":
			if (isDecoding) {
				let from = goMemo(ast.from, !0);
				return (i, options) => {
					options ??= defaultParseOption;
					let allErrors = options?.errors === "all", result = flatMap(orElse(from(i, options), (ef) => {
						let issue = new Refinement(ast, i, "From", ef);
						return allErrors && hasStableFilter(ast) ? match$3(ast.filter(i, options, ast), {
							onNone: () => left(issue),
							onSome: (ep) => left(new Composite(ast, i, [issue, new Refinement(ast, i, "Predicate", ep)]))
						}) : left(issue);
					}), (a) => match$3(ast.filter(a, options, ast), {
						onNone: () => right(a),
						onSome: (ep) => left(new Refinement(ast, i, "Predicate", ep))
					}));
					return handleForbidden(result, ast, i, options);
				};
			}
			{
				let from = goMemo(typeAST(ast), !0), to = goMemo(dropRightRefinement(ast.from), !1);
				return (i, options) => handleForbidden(flatMap(from(i, options), (a) => to(a, options)), ast, i, options);
			}
		case "Transformation": {
			let transform = getFinalTransformation(ast.transformation, isDecoding), from = isDecoding ? goMemo(ast.from, !0) : goMemo(ast.to, !1), to = isDecoding ? goMemo(ast.to, !0) : goMemo(ast.from, !1);
			return (i, options) => handleForbidden(flatMap(mapError(from(i, options), (e) => new Transformation(ast, i, isDecoding ? "Encoded" : "Type", e)), (a) => flatMap(mapError(transform(a, options ?? defaultParseOption, ast, i), (e) => new Transformation(ast, i, "Transformation", e)), (i2) => mapError(to(i2, options), (e) => new Transformation(ast, i, isDecoding ? "Type" : "Encoded", e)))), ast, i, options);
		}
		case "Declaration": {
			let parse = isDecoding ? ast.decodeUnknown(...ast.typeParameters) : ast.encodeUnknown(...ast.typeParameters);
			return (i, options) => handleForbidden(parse(i, options ?? defaultParseOption, ast), ast, i, options);
		}
		case "Literal": return fromRefinement(ast, (u) => u === ast.literal);
		case "UniqueSymbol": return fromRefinement(ast, (u) => u === ast.symbol);
		case "UndefinedKeyword": return fromRefinement(ast, isUndefined);
		case "NeverKeyword": return fromRefinement(ast, isNever);
		case "UnknownKeyword":
		case "AnyKeyword":
		case "VoidKeyword": return right;
		case "StringKeyword": return fromRefinement(ast, isString);
		case "NumberKeyword": return fromRefinement(ast, isNumber);
		case "BooleanKeyword": return fromRefinement(ast, isBoolean);
		case "BigIntKeyword": return fromRefinement(ast, isBigInt);
		case "SymbolKeyword": return fromRefinement(ast, isSymbol);
		case "ObjectKeyword": return fromRefinement(ast, isObject$1);
		case "Enums": return fromRefinement(ast, (u) => ast.enums.some(([_, value]) => value === u));
		case "TemplateLiteral": {
			let regex = getTemplateLiteralRegExp(ast);
			return fromRefinement(ast, (u) => isString(u) && regex.test(u));
		}
		case "TupleType": {
			let elements = ast.elements.map((e) => goMemo(e.type, isDecoding)), rest = ast.rest.map((annotatedAST) => goMemo(annotatedAST.type, isDecoding)), requiredTypes = ast.elements.filter((e) => !e.isOptional);
			ast.rest.length > 0 && (requiredTypes = requiredTypes.concat(ast.rest.slice(1)));
			let requiredLen = requiredTypes.length, expectedIndexes = ast.elements.length > 0 ? ast.elements.map((_, i) => i).join(" | ") : "never", concurrency = getConcurrency(ast), batching = getBatching(ast);
			return (input, options) => {
				if (!isArray(input)) return left(new Type(ast, input));
				let allErrors = options?.errors === "all", es = [], stepKey = 0, output = [], len = input.length;
				for (let i = len; i <= requiredLen - 1; i++) {
					let e = new Pointer(i, input, new Missing(requiredTypes[i - len]));
					if (allErrors) es.push([stepKey++, e]);
					else return left(new Composite(ast, input, e, output));
				}
				if (ast.rest.length === 0) for (let i = ast.elements.length; i <= len - 1; i++) {
					let e = new Pointer(i, input, new Unexpected(input[i], `is unexpected, expected: ${expectedIndexes}`));
					if (allErrors) es.push([stepKey++, e]);
					else return left(new Composite(ast, input, e, output));
				}
				let i = 0, queue;
				for (; i < elements.length; i++) if (len < i + 1) {
					if (ast.elements[i].isOptional) continue;
				} else {
					let parser = elements[i], te = parser(input[i], options), eu = eitherOrUndefined(te);
					if (eu) {
						if (isLeft(eu)) {
							let e = new Pointer(i, input, eu.left);
							if (allErrors) {
								es.push([stepKey++, e]);
								continue;
							}
							return left(new Composite(ast, input, e, sortByIndex(output)));
						}
						output.push([stepKey++, eu.right]);
					} else {
						let nk = stepKey++, index = i;
						queue ||= [], queue.push(({ es, output }) => flatMap$1(either(te), (t) => {
							if (isLeft(t)) {
								let e = new Pointer(index, input, t.left);
								return allErrors ? (es.push([nk, e]), _void) : left(new Composite(ast, input, e, sortByIndex(output)));
							}
							return output.push([nk, t.right]), _void;
						}));
					}
				}
				if (isNonEmptyReadonlyArray(rest)) {
					let [head, ...tail] = rest;
					for (; i < len - tail.length; i++) {
						let te = head(input[i], options), eu = eitherOrUndefined(te);
						if (eu) {
							if (isLeft(eu)) {
								let e = new Pointer(i, input, eu.left);
								if (allErrors) {
									es.push([stepKey++, e]);
									continue;
								}
								return left(new Composite(ast, input, e, sortByIndex(output)));
							}
							output.push([stepKey++, eu.right]);
						} else {
							let nk = stepKey++, index = i;
							queue ||= [], queue.push(({ es, output }) => flatMap$1(either(te), (t) => {
								if (isLeft(t)) {
									let e = new Pointer(index, input, t.left);
									return allErrors ? (es.push([nk, e]), _void) : left(new Composite(ast, input, e, sortByIndex(output)));
								}
								return output.push([nk, t.right]), _void;
							}));
						}
					}
					for (let j = 0; j < tail.length; j++) if (i += j, !(len < i + 1)) {
						let te = tail[j](input[i], options), eu = eitherOrUndefined(te);
						if (eu) {
							if (isLeft(eu)) {
								let e = new Pointer(i, input, eu.left);
								if (allErrors) {
									es.push([stepKey++, e]);
									continue;
								}
								return left(new Composite(ast, input, e, sortByIndex(output)));
							}
							output.push([stepKey++, eu.right]);
						} else {
							let nk = stepKey++, index = i;
							queue ||= [], queue.push(({ es, output }) => flatMap$1(either(te), (t) => {
								if (isLeft(t)) {
									let e = new Pointer(index, input, t.left);
									return allErrors ? (es.push([nk, e]), _void) : left(new Composite(ast, input, e, sortByIndex(output)));
								}
								return output.push([nk, t.right]), _void;
							}));
						}
					}
				}
				let computeResult = ({ es, output }) => isNonEmptyArray(es) ? left(new Composite(ast, input, sortByIndex(es), sortByIndex(output))) : right(sortByIndex(output));
				if (queue && queue.length > 0) {
					let cqueue = queue;
					return suspend(() => {
						let state = {
							es: copy$1(es),
							output: copy$1(output)
						};
						return flatMap$1(forEach(cqueue, (f) => f(state), {
							concurrency,
							batching,
							discard: !0
						}), () => computeResult(state));
					});
				}
				return computeResult({
					output,
					es
				});
			};
		}
		case "TypeLiteral": {
			if (ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0) return fromRefinement(ast, isNotNullable);
			let propertySignatures = [], expectedKeysMap = {}, expectedKeys = [];
			for (let ps of ast.propertySignatures) propertySignatures.push([goMemo(ps.type, isDecoding), ps]), expectedKeysMap[ps.name] = null, expectedKeys.push(ps.name);
			let indexSignatures = ast.indexSignatures.map((is) => [
				goMemo(is.parameter, isDecoding),
				goMemo(is.type, isDecoding),
				is.parameter
			]), expectedAST = Union$1.make(ast.indexSignatures.map((is) => is.parameter).concat(expectedKeys.map((key) => isSymbol(key) ? new UniqueSymbol(key) : new Literal$1(key)))), expected = goMemo(expectedAST, isDecoding), concurrency = getConcurrency(ast), batching = getBatching(ast);
			return (input, options) => {
				if (!isRecord(input)) return left(new Type(ast, input));
				let allErrors = options?.errors === "all", es = [], stepKey = 0, onExcessPropertyError = options?.onExcessProperty === "error", onExcessPropertyPreserve = options?.onExcessProperty === "preserve", output = {}, inputKeys;
				if (onExcessPropertyError || onExcessPropertyPreserve) {
					inputKeys = ownKeys(input);
					for (let key of inputKeys) {
						let eu = eitherOrUndefined(expected(key, options));
						if (isLeft(eu)) {
							if (onExcessPropertyError) {
								let e = new Pointer(key, input, new Unexpected(input[key], `is unexpected, expected: ${String(expectedAST)}`));
								if (allErrors) {
									es.push([stepKey++, e]);
									continue;
								}
								return left(new Composite(ast, input, e, output));
							}
							output[key] = input[key];
						}
					}
				}
				let queue, isExact = options?.exact === !0;
				for (let i = 0; i < propertySignatures.length; i++) {
					let ps = propertySignatures[i][1], name = ps.name, hasKey = Object.prototype.hasOwnProperty.call(input, name);
					if (!hasKey) {
						if (ps.isOptional) continue;
						if (isExact) {
							let e = new Pointer(name, input, new Missing(ps));
							if (allErrors) {
								es.push([stepKey++, e]);
								continue;
							}
							return left(new Composite(ast, input, e, output));
						}
					}
					let parser = propertySignatures[i][0], te = parser(input[name], options), eu = eitherOrUndefined(te);
					if (eu) {
						if (isLeft(eu)) {
							let e = new Pointer(name, input, hasKey ? eu.left : new Missing(ps));
							if (allErrors) {
								es.push([stepKey++, e]);
								continue;
							}
							return left(new Composite(ast, input, e, output));
						}
						output[name] = eu.right;
					} else {
						let nk = stepKey++, index = name;
						queue ||= [], queue.push(({ es, output }) => flatMap$1(either(te), (t) => {
							if (isLeft(t)) {
								let e = new Pointer(index, input, hasKey ? t.left : new Missing(ps));
								return allErrors ? (es.push([nk, e]), _void) : left(new Composite(ast, input, e, output));
							}
							return output[index] = t.right, _void;
						}));
					}
				}
				for (let i = 0; i < indexSignatures.length; i++) {
					let indexSignature = indexSignatures[i], parameter = indexSignature[0], type = indexSignature[1], keys = getKeysForIndexSignature(input, indexSignature[2]);
					for (let key of keys) {
						let keu = eitherOrUndefined(parameter(key, options));
						if (keu && isRight(keu)) {
							let vpr = type(input[key], options), veu = eitherOrUndefined(vpr);
							if (veu) {
								if (isLeft(veu)) {
									let e = new Pointer(key, input, veu.left);
									if (allErrors) {
										es.push([stepKey++, e]);
										continue;
									}
									return left(new Composite(ast, input, e, output));
								}
								Object.prototype.hasOwnProperty.call(expectedKeysMap, key) || (output[key] = veu.right);
							} else {
								let nk = stepKey++, index = key;
								queue ||= [], queue.push(({ es, output }) => flatMap$1(either(vpr), (tv) => {
									if (isLeft(tv)) {
										let e = new Pointer(index, input, tv.left);
										return allErrors ? (es.push([nk, e]), _void) : left(new Composite(ast, input, e, output));
									}
									return Object.prototype.hasOwnProperty.call(expectedKeysMap, key) || (output[key] = tv.right), _void;
								}));
							}
						}
					}
				}
				let computeResult = ({ es, output }) => {
					if (isNonEmptyArray(es)) return left(new Composite(ast, input, sortByIndex(es), output));
					if (options?.propertyOrder === "original") {
						let keys = inputKeys || ownKeys(input);
						for (let name of expectedKeys) keys.indexOf(name) === -1 && keys.push(name);
						let out = {};
						for (let key of keys) Object.prototype.hasOwnProperty.call(output, key) && (out[key] = output[key]);
						return right(out);
					}
					return right(output);
				};
				if (queue && queue.length > 0) {
					let cqueue = queue;
					return suspend(() => {
						let state = {
							es: copy$1(es),
							output: Object.assign({}, output)
						};
						return flatMap$1(forEach(cqueue, (f) => f(state), {
							concurrency,
							batching,
							discard: !0
						}), () => computeResult(state));
					});
				}
				return computeResult({
					es,
					output
				});
			};
		}
		case "Union": {
			let searchTree = getSearchTree(ast.types, isDecoding), ownKeys$4 = ownKeys(searchTree.keys), len = ownKeys$4.length, map = new Map();
			for (let i = 0; i < ast.types.length; i++) map.set(ast.types[i], goMemo(ast.types[i], isDecoding));
			let concurrency = getConcurrency(ast) ?? 1, batching = getBatching(ast);
			return (input, options) => {
				let es = [], stepKey = 0, candidates = [];
				if (len > 0) {
					if (isObject(input)) for (let i = 0; i < len; i++) {
						let name = ownKeys$4[i], buckets = searchTree.keys[name].buckets;
						if (Object.prototype.hasOwnProperty.call(input, name)) {
							let literal = String(input[name]);
							if (Object.prototype.hasOwnProperty.call(buckets, literal)) candidates = candidates.concat(buckets[literal]);
							else {
								let literals = Union$1.make(searchTree.keys[name].literals);
								es.push([stepKey++, new Composite(new TypeLiteral([new PropertySignature(name, literals, !1, !0)], []), input, new Pointer(name, input, new Type(literals, input[name])))]);
							}
						} else {
							let fakeps = new PropertySignature(name, Union$1.make(searchTree.keys[name].literals), !1, !0);
							es.push([stepKey++, new Composite(new TypeLiteral([fakeps], []), input, new Pointer(name, input, new Missing(fakeps)))]);
						}
					}
					else es.push([stepKey++, new Type(ast, input)]);
				}
				searchTree.otherwise.length > 0 && (candidates = candidates.concat(searchTree.otherwise));
				let queue;
				for (let i = 0; i < candidates.length; i++) {
					let candidate = candidates[i], pr = map.get(candidate)(input, options), eu = !queue || queue.length === 0 ? eitherOrUndefined(pr) : void 0;
					if (eu) {
						if (isRight(eu)) return eu;
						es.push([stepKey++, eu.left]);
					} else {
						let nk = stepKey++;
						queue ||= [], queue.push((state) => suspend(() => "finalResult" in state ? _void : flatMap$1(either(pr), (t) => (isRight(t) ? state.finalResult = t : state.es.push([nk, t.left]), _void))));
					}
				}
				let computeResult = (es) => isNonEmptyArray(es) ? es.length === 1 && es[0][1]._tag === "Type" ? left(es[0][1]) : left(new Composite(ast, input, sortByIndex(es))) : left(new Type(ast, input));
				if (queue && queue.length > 0) {
					let cqueue = queue;
					return suspend(() => {
						let state = { es: copy$1(es) };
						return flatMap$1(forEach(cqueue, (f) => f(state), {
							concurrency,
							batching,
							discard: !0
						}), () => "finalResult" in state ? state.finalResult : computeResult(state.es));
					});
				}
				return computeResult(es);
			};
		}
		case "Suspend": {
			let get = memoizeThunk(() => goMemo(annotations(ast.f(), ast.annotations), isDecoding));
			return (a, options) => get()(a, options);
		}
	}
}, isObject = (input) => typeof input == "object" && !!input, fromRefinement = (ast, refinement) => (u) => refinement(u) ? right(u) : left(new Type(ast, u)), getLiterals = (ast, isDecoding) => {
	switch (ast._tag) {
		case "Declaration": {
			let annotation = getSurrogateAnnotation(ast);
			if (isSome(annotation)) return getLiterals(annotation.value, isDecoding);
			break;
		}
		case "TypeLiteral": {
			let out = [];
			for (let i = 0; i < ast.propertySignatures.length; i++) {
				let propertySignature = ast.propertySignatures[i], type = isDecoding ? encodedAST(propertySignature.type) : typeAST(propertySignature.type);
				isLiteral(type) && !propertySignature.isOptional && out.push([propertySignature.name, type]);
			}
			return out;
		}
		case "TupleType": {
			let out = [];
			for (let i = 0; i < ast.elements.length; i++) {
				let element = ast.elements[i], type = isDecoding ? encodedAST(element.type) : typeAST(element.type);
				isLiteral(type) && !element.isOptional && out.push([i, type]);
			}
			return out;
		}
		case "Refinement": return getLiterals(ast.from, isDecoding);
		case "Suspend": return getLiterals(ast.f(), isDecoding);
		case "Transformation": return getLiterals(isDecoding ? ast.from : ast.to, isDecoding);
	}
	return [];
}, getSearchTree = (members, isDecoding) => {
	let keys = {}, otherwise = [];
	for (let i = 0; i < members.length; i++) {
		let member = members[i], tags = getLiterals(member, isDecoding);
		if (tags.length > 0) for (let j = 0; j < tags.length; j++) {
			let [key, literal] = tags[j], hash = String(literal.literal);
			keys[key] = keys[key] || {
				buckets: {},
				literals: []
			};
			let buckets = keys[key].buckets;
			if (Object.prototype.hasOwnProperty.call(buckets, hash)) {
				if (j < tags.length - 1) continue;
				buckets[hash].push(member), keys[key].literals.push(literal);
			} else {
				buckets[hash] = [member], keys[key].literals.push(literal);
				break;
			}
		}
		else otherwise.push(member);
	}
	return {
		keys,
		otherwise
	};
}, dropRightRefinement = (ast) => isRefinement$1(ast) ? dropRightRefinement(ast.from) : ast, handleForbidden = (effect, ast, actual, options) => {
	let eu = eitherOrUndefined(effect);
	if (eu) return eu;
	if (options?.isEffectAllowed === !0) return effect;
	try {
		return runSync(either(effect));
	} catch {
		return left(new Forbidden(ast, actual, "cannot be be resolved synchronously, this is caused by using runSync on an effect that performs async work"));
	}
}, compare = ([a], [b]) => a > b ? 1 : a < b ? -1 : 0;
function sortByIndex(es) {
	return es.sort(compare).map((t) => t[1]);
}
const getFinalTransformation = (transformation, isDecoding) => {
	switch (transformation._tag) {
		case "FinalTransformation": return isDecoding ? transformation.decode : transformation.encode;
		case "ComposeTransformation": return right;
		case "TypeLiteralTransformation": return (input) => {
			let out = right(input);
			for (let pst of transformation.propertySignatureTransformations) {
				let [from, to] = isDecoding ? [pst.from, pst.to] : [pst.to, pst.from], transformation = isDecoding ? pst.decode : pst.encode;
				out = map(out, (input) => {
					let o = transformation(Object.prototype.hasOwnProperty.call(input, from) ? some(input[from]) : none$4());
					return delete input[from], isSome(o) && (input[to] = o.value), input;
				});
			}
			return out;
		};
	}
}, EquivalenceHookId = Symbol.for("@effect/schema/EquivalenceHookId"), PrettyHookId = Symbol.for("@effect/schema/PrettyHookId"), TypeId$1 = Symbol.for("effect/BigDecimal"), BigDecimalProto = {
	[TypeId$1]: TypeId$1,
	[symbol$1]() {
		let normalized = normalize(this);
		return pipe(hash(normalized.value), combine$5(number$1(normalized.scale)), cached(this));
	},
	[symbol](that) {
		return isBigDecimal(that) && equals(this, that);
	},
	toString() {
		return `BigDecimal(${format$1(this)})`;
	},
	toJSON() {
		return {
			_id: "BigDecimal",
			value: String(this.value),
			scale: this.scale
		};
	},
	[NodeInspectSymbol]() {
		return this.toJSON();
	},
	pipe() {
		return pipeArguments(this, arguments);
	}
}, isBigDecimal = (u) => hasProperty(u, TypeId$1), make$1 = (value, scale) => {
	let o = Object.create(BigDecimalProto);
	return o.value = value, o.scale = scale, o;
}, unsafeMakeNormalized = (value, scale) => {
	if (value !== bigint0 && value % bigint10 === bigint0) throw RangeError("Value must be normalized");
	let o = make$1(value, scale);
	return o.normalized = o, o;
}, bigint0 = BigInt(0), bigint10 = BigInt(10), zero = unsafeMakeNormalized(bigint0, 0), normalize = (self) => {
	if (self.normalized === void 0) {
		if (self.value === bigint0) self.normalized = zero;
		else {
			let digits = `${self.value}`, trail = 0;
			for (let i = digits.length - 1; i >= 0 && digits[i] === "0"; i--) trail++;
			if (trail === 0) self.normalized = self;
			else {
				let value = BigInt(digits.substring(0, digits.length - trail)), scale = self.scale - trail;
				self.normalized = unsafeMakeNormalized(value, scale);
			}
		}
	}
	return self.normalized;
}, scale = dual(2, (self, scale) => scale > self.scale ? make$1(self.value * bigint10 ** BigInt(scale - self.scale), scale) : scale < self.scale ? make$1(self.value / bigint10 ** BigInt(self.scale - scale), scale) : self), abs = (n) => n.value < bigint0 ? make$1(-n.value, n.scale) : n, Equivalence = make$26((self, that) => self.scale > that.scale ? scale(that, self.scale).value === self.value : self.scale < that.scale ? scale(self, that.scale).value === that.value : self.value === that.value), equals = dual(2, (self, that) => Equivalence(self, that)), format$1 = (n) => {
	let normalized = normalize(n);
	if (Math.abs(normalized.scale) >= 16) return toExponential(normalized);
	let negative = normalized.value < bigint0, absolute = negative ? `${normalized.value}`.substring(1) : `${normalized.value}`, before, after;
	if (normalized.scale >= absolute.length) before = "0", after = "0".repeat(normalized.scale - absolute.length) + absolute;
	else {
		let location = absolute.length - normalized.scale;
		if (location > absolute.length) {
			let zeros = location - absolute.length;
			before = `${absolute}${"0".repeat(zeros)}`, after = "";
		} else after = absolute.slice(location), before = absolute.slice(0, location);
	}
	let complete = after === "" ? before : `${before}.${after}`;
	return negative ? `-${complete}` : complete;
}, toExponential = (n) => {
	if (isZero(n)) return "0e+0";
	let normalized = normalize(n), digits = `${abs(normalized).value}`, head = digits.slice(0, 1), tail = digits.slice(1), output = `${isNegative(normalized) ? "-" : ""}${head}`;
	tail !== "" && (output += `.${tail}`);
	let exp = tail.length - normalized.scale;
	return `${output}e${exp >= 0 ? "+" : ""}${exp}`;
}, isZero = (n) => n.value === bigint0, isNegative = (n) => n.value < bigint0, pick = dual((args) => isObject$1(args[0]), (s, ...keys) => {
	let out = {};
	for (let k of keys) k in s && (out[k] = s[k]);
	return out;
}), omit = dual((args) => isObject$1(args[0]), (s, ...keys) => {
	let out = { ...s };
	for (let k of keys) delete out[k];
	return out;
}), TypeId = Symbol.for("@effect/schema/Schema"), make = (ast) => class {
	[TypeId] = variance;
	static Type;
	static Encoded;
	static Context;
	static [TypeId] = variance;
	static ast = ast;
	static annotations(annotations) {
		return make(mergeSchemaAnnotations(this.ast, annotations));
	}
	static pipe() {
		return pipeArguments(this, arguments);
	}
	static toString() {
		return String(ast);
	}
}, variance = {
	_A: (_) => _,
	_I: (_) => _,
	_R: (_) => _
}, toASTAnnotations = (annotations) => {
	if (!annotations) return {};
	let out = {}, custom = Object.getOwnPropertySymbols(annotations);
	for (let sym of custom) out[sym] = annotations[sym];
	if (annotations.typeId !== void 0) {
		let typeId = annotations.typeId;
		typeof typeId == "object" ? (out[TypeAnnotationId] = typeId.id, out[typeId.id] = typeId.annotation) : out[TypeAnnotationId] = typeId;
	}
	let move = (from, to) => {
		annotations[from] !== void 0 && (out[to] = annotations[from]);
	};
	return move("message", MessageAnnotationId), move("missingMessage", MissingMessageAnnotationId), move("identifier", IdentifierAnnotationId), move("title", TitleAnnotationId), move("description", DescriptionAnnotationId), move("examples", ExamplesAnnotationId), move("default", DefaultAnnotationId), move("documentation", DocumentationAnnotationId), move("jsonSchema", JSONSchemaAnnotationId), move("arbitrary", ArbitraryHookId), move("pretty", PrettyHookId), move("equivalence", EquivalenceHookId), move("concurrency", ConcurrencyAnnotationId), move("batching", BatchingAnnotationId), move("parseIssueTitle", ParseIssueTitleAnnotationId), move("parseOptions", ParseOptionsAnnotationId), move("decodingFallback", DecodingFallbackAnnotationId), out;
}, mergeSchemaAnnotations = (ast, annotations$2) => annotations(ast, toASTAnnotations(annotations$2)), format = (schema) => String(schema.ast), typeSchema = (schema) => make(typeAST(schema.ast)), decodeUnknownEither = (schema, options) => {
	let decodeUnknownEither = decodeUnknownEither$1(schema, options);
	return (u, overrideOptions) => mapLeft(decodeUnknownEither(u, overrideOptions), parseError);
}, isSchema = (u) => hasProperty(u, TypeId) && isObject$1(u[TypeId]), getDefaultLiteralAST = (literals) => isMembers(literals) ? Union$1.make(mapMembers(literals, (literal) => new Literal$1(literal))) : new Literal$1(literals[0]), makeLiteralClass = (literals, ast = getDefaultLiteralAST(literals)) => class extends make(ast) {
	static annotations(annotations) {
		return makeLiteralClass(this.literals, mergeSchemaAnnotations(this.ast, annotations));
	}
	static literals = [...literals];
};
function Literal(...literals) {
	return isNonEmptyReadonlyArray(literals) ? makeLiteralClass(literals) : Never;
}
const declareConstructor = (typeParameters, options, annotations) => make(new Declaration(typeParameters.map((tp) => tp.ast), (...typeParameters) => options.decode(...typeParameters.map(make)), (...typeParameters) => options.encode(...typeParameters.map(make)), toASTAnnotations(annotations))), declarePrimitive = (is, annotations) => {
	let decodeUnknown = () => (input, _, ast) => is(input) ? succeed(input) : fail(new Type(ast, input));
	return make(new Declaration([], decodeUnknown, decodeUnknown, toASTAnnotations(annotations)));
}, declare = function() {
	if (Array.isArray(arguments[0])) {
		let typeParameters = arguments[0], options = arguments[1], annotations = arguments[2];
		return declareConstructor(typeParameters, options, annotations);
	}
	let is = arguments[0], annotations = arguments[1];
	return declarePrimitive(is, annotations);
};
var Undefined = class extends make(undefinedKeyword) {}, Null = class extends make($null) {}, Never = class extends make(neverKeyword) {}, BigIntFromSelf = class extends make(bigIntKeyword) {}, String$ = class extends make(stringKeyword) {}, Number$ = class extends make(numberKeyword) {};
const getDefaultUnionAST = (members) => Union$1.make(members.map((m) => m.ast)), makeUnionClass = (members, ast = getDefaultUnionAST(members)) => class extends make(ast) {
	static annotations(annotations) {
		return makeUnionClass(this.members, mergeSchemaAnnotations(this.ast, annotations));
	}
	static members = [...members];
};
function Union(...members) {
	return isMembers(members) ? makeUnionClass(members) : isNonEmptyReadonlyArray(members) ? members[0] : Never;
}
const NullOr = (self) => Union(self, Null), UndefinedOr = (self) => Union(self, Undefined), NullishOr = (self) => Union(self, Null, Undefined), formatPropertySignatureToken = (isOptional) => isOptional ? "\"?:\"" : "\":\"";
var PropertySignatureDeclaration = class extends OptionalType {
	isReadonly;
	defaultValue;
	_tag = "PropertySignatureDeclaration";
	constructor(type, isOptional, isReadonly, annotations, defaultValue) {
		super(type, isOptional, annotations), this.isReadonly = isReadonly, this.defaultValue = defaultValue;
	}
	toString() {
		let token = formatPropertySignatureToken(this.isOptional), type = String(this.type);
		return `PropertySignature<${token}, ${type}, never, ${token}, ${type}>`;
	}
}, FromPropertySignature = class extends OptionalType {
	isReadonly;
	fromKey;
	constructor(type, isOptional, isReadonly, annotations, fromKey) {
		super(type, isOptional, annotations), this.isReadonly = isReadonly, this.fromKey = fromKey;
	}
}, ToPropertySignature = class extends OptionalType {
	isReadonly;
	defaultValue;
	constructor(type, isOptional, isReadonly, annotations, defaultValue) {
		super(type, isOptional, annotations), this.isReadonly = isReadonly, this.defaultValue = defaultValue;
	}
};
const formatPropertyKey = (p) => p === void 0 ? "never" : isString(p) ? JSON.stringify(p) : String(p);
var PropertySignatureTransformation = class {
	from;
	to;
	decode;
	encode;
	_tag = "PropertySignatureTransformation";
	constructor(from, to, decode, encode) {
		this.from = from, this.to = to, this.decode = decode, this.encode = encode;
	}
	toString() {
		return `PropertySignature<${formatPropertySignatureToken(this.to.isOptional)}, ${this.to.type}, ${formatPropertyKey(this.from.fromKey)}, ${formatPropertySignatureToken(this.from.isOptional)}, ${this.from.type}>`;
	}
};
const mergeSignatureAnnotations = (ast, annotations) => {
	switch (ast._tag) {
		case "PropertySignatureDeclaration": return new PropertySignatureDeclaration(ast.type, ast.isOptional, ast.isReadonly, {
			...ast.annotations,
			...annotations
		}, ast.defaultValue);
		case "PropertySignatureTransformation": return new PropertySignatureTransformation(new FromPropertySignature(ast.from.type, ast.from.isOptional, ast.from.isReadonly, ast.from.annotations), new ToPropertySignature(ast.to.type, ast.to.isOptional, ast.to.isReadonly, {
			...ast.to.annotations,
			...annotations
		}, ast.to.defaultValue), ast.decode, ast.encode);
	}
}, PropertySignatureTypeId = Symbol.for("@effect/schema/PropertySignature"), isPropertySignature = (u) => hasProperty(u, PropertySignatureTypeId);
var PropertySignatureImpl = class PropertySignatureImpl {
	ast;
	[TypeId];
	[PropertySignatureTypeId] = null;
	_TypeToken;
	_Key;
	_EncodedToken;
	_HasDefault;
	constructor(ast) {
		this.ast = ast;
	}
	pipe() {
		return pipeArguments(this, arguments);
	}
	annotations(annotations) {
		return new PropertySignatureImpl(mergeSignatureAnnotations(this.ast, toASTAnnotations(annotations)));
	}
	toString() {
		return String(this.ast);
	}
};
const makePropertySignature = (ast) => new PropertySignatureImpl(ast);
var PropertySignatureWithFromImpl = class PropertySignatureWithFromImpl extends PropertySignatureImpl {
	from;
	constructor(ast, from) {
		super(ast), this.from = from;
	}
	annotations(annotations) {
		return new PropertySignatureWithFromImpl(mergeSignatureAnnotations(this.ast, toASTAnnotations(annotations)), this.from);
	}
};
const withConstructorDefault = dual(2, (self, defaultValue) => {
	let ast = self.ast;
	switch (ast._tag) {
		case "PropertySignatureDeclaration": return makePropertySignature(new PropertySignatureDeclaration(ast.type, ast.isOptional, ast.isReadonly, ast.annotations, defaultValue));
		case "PropertySignatureTransformation": return makePropertySignature(new PropertySignatureTransformation(ast.from, new ToPropertySignature(ast.to.type, ast.to.isOptional, ast.to.isReadonly, ast.to.annotations, defaultValue), ast.decode, ast.encode));
	}
}), optionalToRequired = (from, to, options) => makePropertySignature(new PropertySignatureTransformation(new FromPropertySignature(from.ast, !0, !0, {}, void 0), new ToPropertySignature(to.ast, !1, !0, {}, void 0), (o) => some(options.decode(o)), flatMap$5(options.encode))), optionalToOptional = (from, to, options) => makePropertySignature(new PropertySignatureTransformation(new FromPropertySignature(from.ast, !0, !0, {}, void 0), new ToPropertySignature(to.ast, !0, !0, {}, void 0), options.decode, options.encode)), optionalPropertySignatureAST = (self, options) => {
	let isExact = options?.exact, defaultValue = options?.default, isNullable = options?.nullable, asOption = options?.as == "Option", asOptionEncode = options?.onNoneEncoding ? orElse$3(options.onNoneEncoding) : identity;
	return isExact ? defaultValue ? isNullable ? withConstructorDefault(optionalToRequired(NullOr(self), typeSchema(self), {
		decode: match$3({
			onNone: defaultValue,
			onSome: (a) => a === null ? defaultValue() : a
		}),
		encode: some
	}), defaultValue).ast : withConstructorDefault(optionalToRequired(self, typeSchema(self), {
		decode: match$3({
			onNone: defaultValue,
			onSome: identity
		}),
		encode: some
	}), defaultValue).ast : asOption ? isNullable ? optionalToRequired(NullOr(self), OptionFromSelf(typeSchema(self)), {
		decode: filter$1(isNotNull),
		encode: asOptionEncode
	}).ast : optionalToRequired(self, OptionFromSelf(typeSchema(self)), {
		decode: identity,
		encode: identity
	}).ast : isNullable ? optionalToOptional(NullOr(self), typeSchema(self), {
		decode: filter$1(isNotNull),
		encode: identity
	}).ast : new PropertySignatureDeclaration(self.ast, !0, !0, {}, void 0) : defaultValue ? isNullable ? withConstructorDefault(optionalToRequired(NullishOr(self), typeSchema(self), {
		decode: match$3({
			onNone: defaultValue,
			onSome: (a) => a ?? defaultValue()
		}),
		encode: some
	}), defaultValue).ast : withConstructorDefault(optionalToRequired(UndefinedOr(self), typeSchema(self), {
		decode: match$3({
			onNone: defaultValue,
			onSome: (a) => a === void 0 ? defaultValue() : a
		}),
		encode: some
	}), defaultValue).ast : asOption ? isNullable ? optionalToRequired(NullishOr(self), OptionFromSelf(typeSchema(self)), {
		decode: filter$1((a) => a != null),
		encode: asOptionEncode
	}).ast : optionalToRequired(UndefinedOr(self), OptionFromSelf(typeSchema(self)), {
		decode: filter$1(isNotUndefined),
		encode: asOptionEncode
	}).ast : isNullable ? optionalToOptional(NullishOr(self), UndefinedOr(typeSchema(self)), {
		decode: filter$1(isNotNull),
		encode: identity
	}).ast : new PropertySignatureDeclaration(UndefinedOr(self).ast, !0, !0, {}, void 0);
}, optionalWith = dual((args) => isSchema(args[0]), (self, options) => new PropertySignatureWithFromImpl(optionalPropertySignatureAST(self, options), self)), getDefaultTypeLiteralAST = (fields, records) => {
	let ownKeys$2 = ownKeys(fields), pss = [];
	if (ownKeys$2.length > 0) {
		let from = [], to = [], transformations = [];
		for (let i = 0; i < ownKeys$2.length; i++) {
			let key = ownKeys$2[i], field = fields[key];
			if (isPropertySignature(field)) {
				let ast = field.ast;
				switch (ast._tag) {
					case "PropertySignatureDeclaration": {
						let type = ast.type, isOptional = ast.isOptional, toAnnotations = ast.annotations;
						from.push(new PropertySignature(key, type, isOptional, !0)), to.push(new PropertySignature(key, typeAST(type), isOptional, !0, toAnnotations)), pss.push(new PropertySignature(key, type, isOptional, !0, toAnnotations));
						break;
					}
					case "PropertySignatureTransformation": {
						let fromKey = ast.from.fromKey ?? key;
						from.push(new PropertySignature(fromKey, ast.from.type, ast.from.isOptional, !0, ast.from.annotations)), to.push(new PropertySignature(key, ast.to.type, ast.to.isOptional, !0, ast.to.annotations)), transformations.push(new PropertySignatureTransformation$1(fromKey, key, ast.decode, ast.encode));
						break;
					}
				}
			} else from.push(new PropertySignature(key, field.ast, !1, !0)), to.push(new PropertySignature(key, typeAST(field.ast), !1, !0)), pss.push(new PropertySignature(key, field.ast, !1, !0));
		}
		if (isNonEmptyReadonlyArray(transformations)) {
			let issFrom = [], issTo = [];
			for (let r of records) {
				let { indexSignatures, propertySignatures } = record(r.key.ast, r.value.ast);
				propertySignatures.forEach((ps) => {
					from.push(ps), to.push(new PropertySignature(ps.name, typeAST(ps.type), ps.isOptional, ps.isReadonly, ps.annotations));
				}), indexSignatures.forEach((is) => {
					issFrom.push(is), issTo.push(new IndexSignature(is.parameter, typeAST(is.type), is.isReadonly));
				});
			}
			return new Transformation$1(new TypeLiteral(from, issFrom, { [TitleAnnotationId]: "Struct (Encoded side)" }), new TypeLiteral(to, issTo, { [TitleAnnotationId]: "Struct (Type side)" }), new TypeLiteralTransformation(transformations));
		}
	}
	let iss = [];
	for (let r of records) {
		let { indexSignatures, propertySignatures } = record(r.key.ast, r.value.ast);
		propertySignatures.forEach((ps) => pss.push(ps)), indexSignatures.forEach((is) => iss.push(is));
	}
	return new TypeLiteral(pss, iss);
}, lazilyMergeDefaults = (fields, out) => {
	let ownKeys$1 = ownKeys(fields);
	for (let key of ownKeys$1) {
		let field = fields[key];
		if (out[key] === void 0 && isPropertySignature(field)) {
			let ast = field.ast, defaultValue = ast._tag === "PropertySignatureDeclaration" ? ast.defaultValue : ast.to.defaultValue;
			defaultValue !== void 0 && (out[key] = defaultValue());
		}
	}
	return out;
}, makeTypeLiteralClass = (fields, records, ast = getDefaultTypeLiteralAST(fields, records)) => class extends make(ast) {
	static annotations(annotations) {
		return makeTypeLiteralClass(this.fields, this.records, mergeSchemaAnnotations(this.ast, annotations));
	}
	static fields = { ...fields };
	static records = [...records];
	static make = (props, options) => {
		let propsWithDefaults = lazilyMergeDefaults(fields, { ...props });
		return getDisableValidationMakeOption(options) ? propsWithDefaults : validateSync(this)(propsWithDefaults);
	};
	static pick(...keys) {
		return Struct(pick(fields, ...keys));
	}
	static omit(...keys) {
		return Struct(omit(fields, ...keys));
	}
};
function Struct(fields, ...records) {
	return makeTypeLiteralClass(fields, records);
}
const refineTypeId = Symbol.for("@effect/schema/refine"), makeRefineClass = (from, filter, ast) => class extends make(ast) {
	static annotations(annotations) {
		return makeRefineClass(this.from, this.filter, mergeSchemaAnnotations(this.ast, annotations));
	}
	static [refineTypeId] = from;
	static from = from;
	static filter = filter;
	static make = (a, options) => getDisableValidationMakeOption(options) ? a : validateSync(this)(a);
}, fromFilterPredicateReturnTypeItem = (item, ast, input) => {
	if (isBoolean(item)) return item ? none$4() : some(new Type(ast, input));
	if (isString(item)) return some(new Type(ast, input, item));
	if (item !== void 0) {
		if ("_tag" in item) return some(item);
		let issue = new Type(ast, input, item.message);
		return some(isNonEmptyReadonlyArray(item.path) ? new Pointer(item.path, input, issue) : issue);
	}
	return none$4();
}, toFilterParseIssue = (out, ast, input) => {
	if (isSingle(out)) return fromFilterPredicateReturnTypeItem(out, ast, input);
	if (isNonEmptyReadonlyArray(out)) {
		let issues = filterMap(out, (issue) => fromFilterPredicateReturnTypeItem(issue, ast, input));
		if (isNonEmptyReadonlyArray(issues)) return some(issues.length === 1 ? issues[0] : new Composite(ast, input, issues));
	}
	return none$4();
};
function filter(predicate, annotations) {
	return (self) => {
		function filter(input, options, ast) {
			return toFilterParseIssue(predicate(input, options, ast), ast, input);
		}
		let ast = new Refinement$1(self.ast, filter, toASTAnnotations(annotations));
		return makeRefineClass(self, filter, ast);
	};
}
const makeTransformationClass = (from, to, ast) => class extends make(ast) {
	static annotations(annotations) {
		return makeTransformationClass(this.from, this.to, mergeSchemaAnnotations(this.ast, annotations));
	}
	static from = from;
	static to = to;
}, transformOrFail = dual((args) => isSchema(args[0]) && isSchema(args[1]), (from, to, options) => makeTransformationClass(from, to, new Transformation$1(from.ast, to.ast, new FinalTransformation(options.decode, options.encode)))), transform = dual((args) => isSchema(args[0]) && isSchema(args[1]), (from, to, options) => transformOrFail(from, to, {
	strict: !0,
	decode: (fromA, _options, _ast, toA) => succeed(options.decode(fromA, toA)),
	encode: (toI, _options, _ast, toA) => succeed(options.encode(toI, toA))
})), IntTypeId = IntTypeId$1, int = (annotations) => (self) => self.pipe(filter((a) => Number.isSafeInteger(a), {
	typeId: IntTypeId,
	title: "integer",
	description: "an integer",
	jsonSchema: { type: "integer" },
	...annotations
})), BetweenTypeId = BetweenTypeId$1, between = (min, max, annotations) => (self) => self.pipe(filter((a) => a >= min && a <= max, {
	typeId: BetweenTypeId,
	description: `a number between ${min} and ${max}`,
	jsonSchema: {
		maximum: max,
		minimum: min
	},
	...annotations
}));
var Int = class extends Number$.pipe(int({
	identifier: "Int",
	title: "Int"
})) {};
const toComposite = (eff, onSuccess, ast, actual) => mapBoth(eff, {
	onFailure: (e) => new Composite(ast, actual, e),
	onSuccess
}), optionDecode = (input) => input._tag === "None" ? none$4() : some(input.value), optionArbitrary = (value, ctx) => (fc) => fc.oneof(ctx, fc.record({ _tag: fc.constant("None") }), fc.record({
	_tag: fc.constant("Some"),
	value: value(fc)
})).map(optionDecode), optionPretty = (value) => match$3({
	onNone: () => "none()",
	onSome: (a) => `some(${value(a)})`
}), optionParse = (decodeUnknown) => (u, options, ast) => isOption(u) ? isNone(u) ? succeed(none$4()) : toComposite(decodeUnknown(u.value, options), some, ast, u) : fail(new Type(ast, u)), OptionFromSelf = (value) => declare([value], {
	decode: (value) => optionParse(decodeUnknown(value)),
	encode: (value) => optionParse(encodeUnknown(value))
}, {
	description: `Option<${format(value)}>`,
	pretty: optionPretty,
	arbitrary: optionArbitrary,
	equivalence: getEquivalence$3
}), getDisableValidationMakeOption = (options) => isBoolean(options) ? options : options?.disableValidation ?? !1, RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/, CANONICAL_UP_TO_28TH = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/, FIRST_INSTANT_MS = Date.parse("0000-01-01T00:00:00.000Z"), LAST_INSTANT_MS = Date.parse("9999-12-31T23:59:59.999Z");
function parseInstant(text) {
	return CANONICAL_UP_TO_28TH.test(text) ? text : parseDateTime(text);
}
function parseDateTime(text) {
	let parts = RFC_3339.exec(text);
	if (parts === null) return;
	let [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = parts, local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${`${fraction ?? ""}000`.slice(0, 3)}Z`, time = Date.parse(local);
	if (!(Number.isNaN(time) || new Date(time).toISOString() !== local)) return instantAt(time - offsetInMinutes(sign, offsetHour, offsetMinute) * 6e4);
}
function instantAt(milliseconds) {
	if (!(milliseconds >= FIRST_INSTANT_MS && milliseconds <= LAST_INSTANT_MS)) return;
	let time = Math.trunc(milliseconds), days = Math.floor(time / DAY_MS), ofDay = time - days * DAY_MS | 0, seconds = ofDay / 1e3 | 0, minutes = seconds / 60 | 0, sinceMarch = days + DAYS_BEFORE_1970 | 0, century = (4 * sinceMarch + 3) / DAYS_IN_400_YEARS | 0, ofCentury = sinceMarch - (century * DAYS_IN_400_YEARS >> 2), yearOfCentury = (4 * ofCentury + 3) / DAYS_IN_4_YEARS | 0, ofYear = ofCentury - (yearOfCentury * DAYS_IN_4_YEARS >> 2), isNextYear = ofYear >= DAYS_FROM_MARCH_TO_JANUARY, date = padded(century * 100 - 400 + yearOfCentury + +!!isNextYear, 4) + DATES[ofYear], ofMinute = SECONDS[seconds - minutes * 60];
	return date + MINUTES[minutes] + ofMinute + MILLISECONDS[ofDay - seconds * 1e3];
}
const DAY_MS = 864e5, DAYS_BEFORE_1970 = 865565, [DAYS_IN_400_YEARS, DAYS_IN_4_YEARS] = [146097, 1461], DAYS_FROM_MARCH_TO_JANUARY = 306, DATES = texts(366, (day) => new Date(Date.UTC(1999, 2, 1 + day)).toISOString().slice(4, 11)), MINUTES = texts(1440, (minute) => `${padded(minute / 60 | 0, 2)}:${padded(minute % 60, 2)}:`), SECONDS = texts(60, (second) => `${padded(second, 2)}.`), MILLISECONDS = texts(1e3, (millisecond) => `${padded(millisecond, 3)}Z`);
function texts(length, textOf) {
	return Array.from({ length }, (_, index) => textOf(index));
}
function padded(value, digits) {
	return String(value).padStart(digits, "0");
}
function offsetInMinutes(sign, hours = 0, minutes = 0) {
	if (Number(hours) > 23 || Number(minutes) > 59) return NaN;
	let offset = Number(hours) * 60 + Number(minutes);
	return sign === "-" ? -offset : offset;
}
// src/domain/order.ts
const CANCEL_REASONS = [
	"customer_request",
	"out_of_stock",
	"payment_failed",
	"fraud_suspected",
	"duplicate",
	"other"
];
Object.freeze({ status: "none" }), Object.freeze({ status: "pending" }), Object.freeze({ status: "cancelled" });
// src/domain/order-id.ts
const MIN_INT64 = -(2n ** 63n), MAX_INT64 = 2n ** 63n - 1n, CANONICAL_DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/;
function parseInt64(text) {
	if (!CANONICAL_DECIMAL.test(text)) return;
	let value = BigInt(text.length <= 15 ? Number(text) : text);
	return isInt64(value) ? value : void 0;
}
function isInt64(value) {
	return value >= MIN_INT64 && value <= MAX_INT64;
}
// src/infra/events/schema.ts
const Int64Text = String$.pipe(filter((text) => parseInt64(text) !== void 0, { message: () => "not an int64" })), Int64 = transform(Int64Text, BigIntFromSelf, {
	strict: !0,
	decode: (text) => BigInt(text),
	encode: (id) => String(id)
}), InstantText = String$.pipe(filter((text) => parseInstant(text) === text, { message: () => "not a UTC date-time" })), Quantity = Int.pipe(between(1, 2147483647)), OrderPlaced1 = Struct({
	orderId: Int64Text,
	petId: Int.pipe(between(-(2 ** 53 - 1), 2 ** 53 - 1)),
	quantity: Quantity,
	shipDate: NullOr(InstantText)
}), OrderPlaced2 = Struct({
	orderId: Int64,
	petId: Int64,
	quantity: Quantity,
	shipDate: optionalWith(InstantText, { exact: !0 })
}), OrderShipped1 = Struct({
	orderId: Int64,
	shipDate: InstantText
}), OrderCancelled1 = Struct({ orderId: Int64 }), OrderCancelled2 = Struct({
	orderId: Int64,
	reason: Literal(...CANCEL_REASONS)
});
function placedFrom1To2({ petId, shipDate, ...rest }) {
	return {
		...rest,
		petId: String(petId),
		...shipDate === null ? {} : { shipDate }
	};
}
const strict = {
	onExcessProperty: "error",
	errors: "all"
}, readPlaced1 = decodeUnknownEither(OrderPlaced1, strict), readPlaced2 = decodeUnknownEither(OrderPlaced2, strict), readShipped1 = decodeUnknownEither(OrderShipped1, strict), readCancelled1 = decodeUnknownEither(OrderCancelled1, strict), readCancelled2 = decodeUnknownEither(OrderCancelled2, strict), readMetadata = decodeUnknownEither(Struct({
	at: InstantText,
	by: String$,
	commandId: String$
}), strict), READERS = {
	OrderPlaced: [(data) => flatMap$6(readPlaced1(data), (v1) => readPlaced2(placedFrom1To2(v1))), readPlaced2],
	OrderShipped: [readShipped1],
	OrderCancelled: [readCancelled1, readCancelled2]
}, OF_NEWER = "(a newer version of store-orders may have written it)";
function readEvent(type, schemaVersion, data) {
	let readers = Object.hasOwn(READERS, type) ? READERS[type] : void 0;
	if (readers === void 0) throw Error(`unknown event type ${JSON.stringify(type)} ${OF_NEWER}`);
	let reader = readers[schemaVersion - 1];
	if (reader === void 0) throw Error(`unknown schema version ${schemaVersion} of ${type} ${OF_NEWER}`);
	return {
		type,
		...orThrow(reader(JSON.parse(data)))
	};
}
function readMetadataText(text) {
	return orThrow(readMetadata(JSON.parse(text)));
}
function orThrow(reading) {
	if (isLeft(reading)) throw Error(reading.left.message.replaceAll(/\s+/g, " "));
	return reading.right;
}
export { readEvent, readMetadataText };
