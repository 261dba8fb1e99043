// The WebSocket of a page. It says hello first, and connects again by itself after a loss. It drops
// messages of the time between: after the hello the server sends the present state again.

const SOONEST = 300; // milliseconds until the first attempt to connect again
const LATEST = 5000;

export class Link {
  /**
   * @param {object} hello the first message
   * @param {(frame: any) => void} onFrame takes what the server sends
   * @param {(state: "open" | "lost") => void} onState
   */
  constructor(hello, onFrame, onState = () => {}) {
    this.hello = hello;
    this.onFrame = onFrame;
    this.onState = onState;
    this.wait = SOONEST;
    this.connect();
  }

  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  connect() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket.onopen = () => {
      this.wait = SOONEST;
      this.onState("open");
      this.say({ type: "hello", ...this.hello });
    };
    this.socket.onmessage = (event) => this.onFrame(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.onState("lost");
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LATEST, this.wait * 1.6);
    };
  }
}
