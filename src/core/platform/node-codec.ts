/**
 * Values as bytes and back, by v8's serializer; views on shared memory cross as numbers.
 *
 * The two classes are made once in each thread. If each call made them, V8 would meet new classes each time: opening a job took a
 * worker 70 us then, and takes 38 now.
 */
import { NotShareableError } from '../errors.js';
import { constructorOfType, typeOfView } from '../memory/element-types.js';
import type { ValueCodec, ViewCodec } from './host.js';
import { adopt } from './realm.js';

const HEAP_OR_EXTERNAL = 1;
const BYTES = 2;
const NUMBERS = 6;

const ERROR_MAKER = '_getDataCloneError';

/** The error that the serializer throws. It calls this as a function, without `this`. */
const notCloneable = (message: string): NotShareableError => new NotShareableError(`furcate: ${message}`);

export function makeCodec({ Serializer, Deserializer } = process.getBuiltinModule('node:v8')): ValueCodec {
  /** Of the call under way. */
  let views: ViewCodec;

  class ValueWriter extends Serializer {
    declare _setTreatArrayBufferViewsAsHostObjects: (flag: boolean) => void;
    _writeHostObject(view: ArrayBufferView): void {
      if (!ArrayBuffer.isView(view)) throw notCloneable(`${Object.prototype.toString.call(view)} could not be cloned.`);
      const shared = views.encode(view);
      if (shared !== undefined) {
        this.writeUint32(HEAP_OR_EXTERNAL);
        for (const part of shared) this.writeDouble(part);
        return;
      }
      this.writeUint32(BYTES);
      this.writeUint32(typeOfView(view));
      this.writeUint32(view.byteLength);
      this.writeRawBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    }
    /** Copies of values have views in their place (code/data-copy.ts), because a reader cannot be asked for a buffer. */
    _getSharedArrayBufferId(): never {
      throw notCloneable('#<SharedArrayBuffer> could not be cloned.');
    }
  }
  // V8 looks for it there: in Node on the prototype, in Deno on the object.
  const errorMaker = { value: notCloneable };
  Object.defineProperty(ValueWriter.prototype, ERROR_MAKER, errorMaker);
  const first = new Serializer();
  const isOfObject = Object.hasOwn(first, ERROR_MAKER);
  first.releaseBuffer(); // with the first Buffer of a thread V8 drops all code that has met a Uint8Array: none has run yet

  class ValueReader extends Deserializer {
    _readHostObject(): ArrayBufferView {
      if (this.readUint32() === HEAP_OR_EXTERNAL) {
        return views.decode(Array.from({ length: NUMBERS }, () => this.readDouble()));
      }
      const type = this.readUint32();
      const length = this.readUint32();
      const copy = new Uint8Array(this.readRawBytes(length)); // aligned, and its own memory
      const Type = constructorOfType(type);
      return Type === undefined ? new DataView(copy.buffer) : new Type(copy.buffer);
    }
  }

  /**
   * A call into Node that cannot fail, before one that may abort the process: on a thread that is told to end while Node hears of a rejected promise, V8 keeps that
   * to itself until the next call into Node returns, and the constructor of Deserializer takes it for a failure that cannot be ("v8::FromJust Maybe value is
   * Nothing", Node 20 to 24).
   */
  const idle = new Deserializer(new Uint8Array(1));
  const endIfTerminated = (): void => void idle.getWireFormatVersion();

  return {
    serialize(value, given) {
      views = given;
      const writer = new ValueWriter();
      if (isOfObject) Object.defineProperty(writer, ERROR_MAKER, errorMaker);
      writer._setTreatArrayBufferViewsAsHostObjects(true);
      writer.writeHeader();
      writer.writeValue(value);
      return writer.releaseBuffer();
    },
    deserialize(bytes, given) {
      views = given;
      endIfTerminated();
      const reader = new ValueReader(bytes);
      reader.readHeader();
      return adopt(reader.readValue(), Deserializer);
    },
  };
}

let codec: ValueCodec | undefined;

/** The codec of this thread, made on first use: `node:v8` takes a fresh worker 1 ms. */
export function nodeCodec(): ValueCodec {
  codec ??= makeCodec();
  return codec;
}
