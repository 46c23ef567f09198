// What is said of something that the pointer or the keyboard is at: below it, and gone with Esc.
import {type Child, h, uniqueId} from '../dom';

const kGap = 6;

let shown: {tip: HTMLElement; owner: HTMLElement} | undefined;

/** Takes away the one that is shown. */
export function hideTip(): void {
  shown?.tip.remove();
  shown?.owner.removeAttribute('aria-describedby');
  shown = undefined;
}

function place(tip: HTMLElement, owner: Element): void {
  const {left, top, bottom} = owner.getBoundingClientRect();
  const {width, height} = tip.getBoundingClientRect();
  const isRoom = bottom + kGap + height <= window.innerHeight;
  tip.style.left = `${Math.max(kGap, Math.min(left, window.innerWidth - width - kGap))}px`;
  tip.style.top = `${isRoom ? bottom + kGap : Math.max(kGap, top - kGap - height)}px`;
}

/** `make` is asked when it is shown. */
export function giveTip(owner: HTMLElement, make: () => Child[]): void {
  const show = () => {
    hideTip();
    const id = uniqueId();
    const tip = h('div', {class: 'tip said', id, role: 'tooltip'}, ...make());
    (owner.closest('main') ?? document.body).append(tip);
    owner.setAttribute('aria-describedby', id);
    place(tip, owner);
    shown = {tip, owner};
  };
  for (const event of ['mouseenter', 'focus']) owner.addEventListener(event, show);
  for (const event of ['mouseleave', 'blur', 'click']) owner.addEventListener(event, hideTip);
}
