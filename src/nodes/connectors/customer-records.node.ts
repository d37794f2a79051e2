import { defineConnector } from './define-connector.ts';
import { hubspotCustomers } from './hubspot-customers.ts';
import { restCustomers } from './rest-customers.ts';
import { salesforceCustomers } from './salesforce-customers.ts';

export const customerRecords = defineConnector({
  type: 'customer_records',
  version: '1.0.0',
  name: 'Customer records',
  description:
    "Creates, reads, changes, deletes and searches customers: in a REST service (rest), in HubSpot or in Salesforce. first_name, last_name, email, phone and job_title are understood by HubSpot and Salesforce alike; any other name is one of the product's own. The result is the body of the answer, null when there is none. Failures are those of http_request, with the service's own words.",
  icon: 'contact',
  services: { rest: restCustomers, hubspot: hubspotCustomers, salesforce: salesforceCustomers },
  choose: 'service',
  dataIn: 'data',
  result: "The answer's body",
  examples: [
    {
      title: 'Creates a customer',
      config: {
        service: 'rest',
        operation: 'create',
        credentials: '{{ secrets.CRM }}',
        data: { name: '{{ input.name }}', email: '{{ input.email }}' },
      },
      input: { name: 'Ada', email: 'ada@example.com' },
      outputs: { out: { id: 'c-17', name: 'Ada', email: 'ada@example.com' } },
    },
    {
      title: 'Finds a contact of HubSpot',
      config: {
        service: 'hubspot',
        operation: 'search',
        credentials: '{{ secrets.HUBSPOT }}',
        data: { email: '{{ input.email }}', properties: ['email', 'first_name'], limit: 1 },
      },
      input: { email: 'ada@example.com' },
      outputs: {
        out: {
          total: 1,
          results: [{ id: '51', properties: { email: 'ada@example.com', firstname: 'Ada' } }],
        },
      },
    },
    {
      title: 'Changes a contact of Salesforce',
      config: {
        service: 'salesforce',
        operation: 'update',
        credentials: '{{ secrets.SALESFORCE }}',
        data: { id: '{{ input.contact }}', phone: '{{ input.phone }}', Region__c: 'North' },
        retryPolicy: { maxAttempts: 3, retryConditions: ['rate_limited', 'network'] },
      },
      input: { contact: '003XX0000000001', phone: '+44 20 7946 0000' },
      outputs: { out: null },
    },
  ],
});
