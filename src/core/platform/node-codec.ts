/**
 * Values as bytes and back, by v8's serializer; views on shared memory cross as numbers.
 *
 * The two classes are made once for each thread. If each call made them, V8 would learn nothing about their objects: to open a
 * job took a worker 70 us, and takes 38 now.
 */
import { NotShareableError } from '../errors.js';
import { constructorOfType, type TypedArrayConstructor, typeOfView } from '../memory/element-types.js';
import type { ViewCodec } from './host.js';

const HEAP_OR_EXTERNAL = 1;
const BYTES = 2;
const NUMBERS = 5;

/** What the serializer throws; it calls this as a function. */
const notCloneable = (message: string): NotShareableError => new NotShareableError(`furcate: ${message}`);

function makeClasses() {
  const { Serializer, Deserializer } = process.getBuiltinModule('node:v8'); // on first use: it takes a fresh worker 1 ms

  class ValueWriter extends Serializer {
    declare _setTreatArrayBufferViewsAsHostObjects: (flag: boolean) => void;
    readonly views: ViewCodec;
    constructor(views: ViewCodec) {
      super();
      this.views = views;
    }
    _writeHostObject(view: ArrayBufferView): void {
      if (!ArrayBuffer.isView(view)) throw notCloneable(`${Object.prototype.toString.call(view)} could not be cloned.`);
      const shared = this.views.encode(view);
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
    _getSharedArrayBufferId(buffer: SharedArrayBuffer): number {
      return this.views.encodeBuffer(buffer);
    }
  }
  // On the prototype, where v8 looks for it, and without a `this`.
  Object.defineProperty(ValueWriter.prototype, '_getDataCloneError', { value: notCloneable });

  class ValueReader extends Deserializer {
    readonly views: ViewCodec;
    constructor(bytes: Uint8Array, views: ViewCodec) {
      super(bytes);
      this.views = views;
    }
    _readHostObject(): ArrayBufferView {
      if (this.readUint32() === HEAP_OR_EXTERNAL) {
        const numbers: number[] = [];
        while (numbers.length < NUMBERS) numbers.push(this.readDouble());
        return this.views.decode(numbers);
      }
      const type = this.readUint32();
      const length = this.readUint32();
      const copy = new Uint8Array(this.readRawBytes(length)); // aligned, and its own memory
      const Type = constructorOfType(type) as TypedArrayConstructor | undefined;
      return Type === undefined ? new DataView(copy.buffer) : new Type(copy.buffer);
    }
    _getSharedArrayBuffer(id: number): SharedArrayBuffer {
      return this.views.decodeBuffer(id);
    }
  }
  return { ValueWriter, ValueReader };
}

let made: ReturnType<typeof makeClasses> | undefined;

function classes(): ReturnType<typeof makeClasses> {
  made ??= makeClasses();
  return made;
}

export function serialize(value: unknown, views: ViewCodec): Uint8Array {
  const writer = new (classes().ValueWriter)(views);
  writer._setTreatArrayBufferViewsAsHostObjects(true);
  writer.writeHeader();
  writer.writeValue(value);
  return writer.releaseBuffer();
}

export function deserialize(bytes: Uint8Array, views: ViewCodec): unknown {
  const reader = new (classes().ValueReader)(bytes, views);
  reader.readHeader();
  return reader.readValue();
}
