// An agent for promptfoo that succeeds with the chance SUCCESS and costs about COST.
// The cost is log-normal with a coefficient of variation of 0.3.
const sigma = Math.sqrt(Math.log(1 + 0.3 ** 2));

function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

module.exports = class {
  id() {
    return 'agent';
  }

  async callApi() {
    return {
      output: Math.random() < Number(process.env.SUCCESS) ? 'right' : 'wrong',
      cost: Number(process.env.COST) * Math.exp(sigma * normal() - sigma ** 2 / 2),
    };
  }
};
